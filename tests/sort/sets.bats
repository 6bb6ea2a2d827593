# --minus, --common: what is not in a file, or is; comm(1) finds the same in text of the records.
# SPDX-License-Identifier: MIT

load ../npy

text()
{
    od -An -v -tu4 -w4 "$@" | tr -d ' ' | sort
}

setup()
{
    enter_directory
    keygen uniform 3000 --seed=1 >one
    keygen uniform 3000 --seed=2 >two
    keygen few 400 >many
    cat one many many >in
    { head -c 8000 one && cat two many; } | gsort -o known
    text in >in.text
    text known >known.text
    comm -23 in.text known.text >minus
    comm -12 in.text known.text >common
    comm -23 <(uniq in.text) <(uniq known.text) >minus-u
    comm -12 <(uniq in.text) <(uniq known.text) >common-u
    [ "$(wc -l <common)" -gt 2300 ] && [ "$(wc -l <minus)" -gt 1300 ] && [ -s minus-u ]
}

@test "comm(1) finds the same: in memory, pipes, merging, backwards" {
    for word in minus common; do
        gsort "--$word=known" in -o out && text out | cmp "$word" -
        gsort -c out
        gsort -u --verify "--$word=known" in -o out && text out | cmp "$word-u" -
        gsort "--$word=known" <in | text | cmp "$word" -
        gsort -u "--$word"=<(cat known) <(cat in) | text | cmp "$word-u" -
        gsort -m "--$word=known" <(gsort one) <(gsort many) <(gsort many) | text | cmp "$word" -
        gsort -r -o back known && gsort -r "--$word=back" in | text | cmp "$word" -
        cp known own && gsort "--$word=own" in -o own && text own | cmp "$word" -
        cp in own && gsort "--$word=known" own -o own && text own | cmp "$word" -
    done
    gsort --minus=/dev/null in | text | cmp in.text -
    [ "$(gsort --common=/dev/null in | wc -c)" -eq 0 ]
}

@test "what is larger than memory meets the other file as it leaves temporary files" {
    keygen zipf 800000 --seed=3 >large
    keygen zipf 200000 --seed=4 | gsort -o other
    comm -12 <(text large) <(text other) >wanted
    gsort --common=other -S 1M -T . --stats large -o out 2>report
    grep -q '^temporary *[1-9]' report
    text out | cmp wanted -
}

@test "by keys, the first of equal ones are paired; with -u and counts, all of a key" {
    printf '%s' a1 a2 a3 b1 c1 c2 >in
    printf '%s' a9 b0 b7 d0 >known
    [ "$(gsort -R 2 -k 0:b1 --minus=known in)" = a2a3c1c2 ]
    [ "$(gsort -R 2 -k 0:b1 --common=known in)" = a1b1 ]
    [ "$(gsort -R 2 -k 0:b1 -u --minus=known in)" = c1 ]
    [ "$(gsort -R 2 -k 0:b1 --common=known --count=u8 in | od -An -c | tr -d ' ')" = 'a1003b1001' ]
    [ "$(gsort -R 2 -k 0:b1 --minus=known --single in)" = "" ]
}

@test "keys that begin alike, many of one key, and keys far away" {
    export LC_ALL=C
    seq -f 'aaaaaaaa%05.0f' 0 2999 >all
    awk 'NR % 3 == 0; NR % 500 == 0 { for (i = 0; i < NR; i++) print }' all >left
    awk 'NR % 2 == 0; NR % 750 == 0 { for (i = 0; i < 1300; i++) print }' all >right
    for _ in 1 2; do
        for cut in 1 6; do # bytes 6 and on: the first eight differ, too
            cut -b "$cut"- left >a
            cut -b "$cut"- right >b
            comm -23 a b >minus.wanted
            comm -12 a b >common.wanted
            comm -23 <(uniq a) <(uniq b) >single.wanted
            gsort -t "b$((15 - cut))" --format=raw --minus=b a | cmp minus.wanted -
            gsort -t "b$((15 - cut))" --format=raw --common=b a | cmp common.wanted -
            gsort -t "b$((15 - cut))" --format=raw -u --minus=b a | cmp single.wanted -
            [ -s minus.wanted ] && [ -s common.wanted ]
        done
        mv left other && mv right left && mv other right
    done
    sed -n '7p;1500p;2990p' all >few
    gsort -t b14 --format=raw --common=all few | cmp few -
    [ "$(gsort -t b14 --format=raw --minus=few all | wc -l)" -eq 2997 ]
}

@test ".npy files, and bytes in front" {
    npy "'<u4'" 3800 <in >in.npy
    npy "'<u4'" "$(($(wc -c <known) / 4))" <known >known.npy
    gsort --minus=known.npy in.npy -o out.npy
    tail -c +129 out.npy | text | cmp minus -
    head -c 128 out.npy | grep -q "'shape': ($(wc -l <minus),)"
    run ! gsort --minus=known in.npy -o new.npy
    [[ $output = "gsort: known: in.npy is a .npy file, so all others must be such files, too" ]]
    gsort --skip=8 --minus=<(cat <(printf 12345678) known) <(cat <(printf abcdefgh) in) >out
    [ "$(head -c 8 out)" = abcdefgh ]
    tail -c +9 out | text | cmp minus -
}

@test "what cannot be is refused in one line, and nothing appears" {
    run ! gsort --minus=one in -o out
    [[ $output = "gsort: one:"*": disorder: "*"gsort one -o one"* ]]
    for words in "-c --minus=known" "--minus=known --common=known" "--argsort=u32 --minus=known" \
        "--minus=none" "--minus=- -" "--minus=in.text --format=raw"; do
        echo "$words"
        # shellcheck disable=SC2086  # several words
        run ! gsort $words in -o out
        [ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ] && [ ! -e out ]
    done
    cp known own
    run ! bash -c 'gsort --minus=own in 1<>own'
    [[ $output = "gsort: own: is written over while it is read"* ]]
    cmp known own
}
