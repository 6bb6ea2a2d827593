# --count, --sum, --min, --max, --repeated, --single: one record of each key, combined.
# SPDX-License-Identifier: MIT

load ../npy

# Records of 12 bytes: a key of few values, a signed field, and one of two bytes, from decimal text
# of three columns, which awk(1) can combine.
setup()
{
    enter_directory
    keygen uniform 3000 >others
    od -An -v -tu1 -w4 others |
        awk '{ print $1 * 256 + $2 % 8, $2 - 100, $3 + 256 * $4 % 100, 0 }' >text
    to_records <text >in
}

# to_records: from lines of a u32, an i32, a u16 and a u16 in decimal.
to_records()
{
    printf '%b' "$(awk 'function put(n, bytes) { for (; bytes > 0; bytes--) {
             printf "\\x%02x", n % 256; n = int(n / 256) } }
        { put($1, 4); put($2 < 0 ? $2 + 4294967296 : $2, 4); put($3, 2); put($4, 2) }')"
}

# to_text BYTES: lines of decimal numbers, of records of 12 bytes and, behind them, a count of that
# many bytes.
to_text()
{
    od -An -v -tu1 -w"$((12 + $1))" | awk '
        function get(at, bytes,  n) { for (n = 0; bytes > 0; bytes--) n = n * 256 + $(at + bytes)
            return n }
        { value = get(4, 4); value -= value >= 2147483648 ? 4294967296 : 0
            count = NF > 12 ? get(12, NF - 12) : "-"
            print get(0, 4), value, get(8, 2), count }'
}

# wanted WHICH: key, sum of the second column, greatest third one, and count, of keys that come
# more often than once (1), once (2) or at all (0).
wanted()
{
    sort -n -k 1,1 text | awk -v which="$1" '
        function put() { if (n > 0 && (which != 1 || n > 1) && (which != 2 || n == 1))
            print key, sum, most, n }
        NR == 1 || $1 != key { put(); key = $1; sum = most = n = 0 }
        { sum += $2; most = $3 > most ? $3 : most; n++ } END { put() }'
}

@test "awk finds the same: in memory, pipes, merging, a file into itself, threads" {
    local options=(-R 12 -k 0:u32 --sum=4:i32 --max=8:u16 --count=u32)
    wanted 0 >expected
    [ "$(wc -l <expected)" -ge 300 ]
    gsort "${options[@]}" in -o out && to_text 4 <out | diff expected -
    gsort "${options[@]}" -u --verify in -o out && to_text 4 <out | diff expected -
    gsort "${options[@]}" -j 1 <in | to_text 4 | diff expected -
    gsort "${options[@]}" --verify < <(cat in) | to_text 4 | diff expected -
    gsort "${options[@]}" -r in -o out && to_text 4 <out | tac | diff expected -
    gsort --device=cpu "${options[@]}" -s --skip=12 <(cat <(head -c 12 in) in) -o out
    head -c 12 in | cmp - <(head -c 12 out)
    tail -c +13 out | to_text 4 | diff expected -
    gsort "${options[@]}" --direct in -o out && to_text 4 <out | diff expected -
    split -b 12000 -d in part
    for part in part0*; do gsort -R 12 -k 0:u32 "$part" -o "$part"; done
    gsort -m "${options[@]}" part0* | to_text 4 | diff expected -
    cp in own && gsort "${options[@]}" own -o own && to_text 4 <own | diff expected -
}

@test "what is larger than memory is combined as it leaves temporary files" {
    keygen zipf 1000000 >large
    for option in --count=u32 --repeated --single; do
        reference "$option" large >wanted
        gsort "$option" -S 1M -T . --stats large -o out 2>report
        grep -q '^temporary *[1-9]' report
        assert_same wanted out
        gsort "$option" -S 1M -T . < <(cat large) >out
        assert_same wanted out
    done
}

@test "keys that come more than once, or once; wider and narrower counts" {
    for which in 1 2; do
        word=$([ "$which" -eq 1 ] && echo --repeated || echo --single)
        wanted "$which" >expected
        [ -s expected ]
        gsort -R 12 -k 0:u32 --sum=4:i32 --max=8:u16 --count=u64 "$word" in -o out
        to_text 8 <out | diff expected -
        gsort -R 12 -k 0:u32 "$word" in | to_text 0 | cut -d ' ' -f 1 |
            diff <(cut -d ' ' -f 1 expected) -
    done
}

@test "what has no room is an error that names the key, and nothing appears" {
    printf '\0\0\1\0%.0s' {1..300} >ones
    printf '\377\200' >pair
    printf '\377\201' >>pair
    echo old >out
    run ! gsort --count=u8 ones -o out
    [[ $output = "gsort: out: key 65536 comes 300 times, which u8 has no room for: "* ]]
    run ! gsort -R 2 -k 0:u8 --sum=1:u8 pair -o out
    [[ $output = "gsort: out: --sum=1:u8: the sum of key 255 has no room in its field: "* ]]
    run ! gsort -R 2 -k 0:u8 --sum=1:i8 pair -o out
    [[ $output = "gsort: out: --sum=1:i8: the sum of key 255 has no room in its field: "* ]]
    [ "$(cat out)" = old ]
    assert_only others text in ones pair out
    gsort --count=u16be ones | od -An -tu1 | grep -q '0 *0 *1 *0 *1 *44'
}

@test "what goes not together is refused in one line" {
    run ! gsort --repeated --single in
    [[ $output = "gsort: options '--repeated' and '--single' are incompatible: "* ]]
    for words in "-c --count=u32" "--argsort=u32 --count=u32" "--count=f32" "--count=u128" \
        "-R 12 --sum=0:u32" "-R 12 -k 0:u32 --sum=4:b4" "-R 12 -k 0:u32 --sum=4:u32r" \
        "-R 12 -k 0:u32 --sum=8:u64" "-R 12 -k 0:u32 --sum=4:u32 --min=6:u32" \
        "-R 12 -k 0:u32 --sum=x"; do
        echo "$words"
        # shellcheck disable=SC2086  # several words
        run ! gsort $words in -o out
        [ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ] && [ ! -e out ]
    done
}

@test ".npy: the shape follows, and a count is a field" {
    keygen few 9000 >keys
    npy "'<u4'" 9000 <keys >in.npy
    gsort --count=u16 in.npy -o out.npy
    gsort -u keys | wc -c >bytes
    head -c 128 out.npy | grep -aq "'descr': \[('key', '<u4'), ('count', '<u2')\]"
    head -c 128 out.npy | grep -aq "'shape': ($(($(cat bytes) / 4)),)"
    tail -c +129 out.npy | cmp - <(gsort --count=u16 keys)
    npy "[('a', '<u4'), ('b', '<i4'), ('c', '<u2'), ('d', '<u2'),]" 3000 <in >in.npy
    gsort -k a --sum=b --max=c --count=u32be in.npy -o out.npy
    head -c 192 out.npy | grep -aq "('d', '<u2'), ('count', '>u4')\]"
    tail -c +193 out.npy | cmp - <(gsort -R 12 -k 0:u32 --sum=4:i32 --max=8:u16 --count=u32be in)
    run ! gsort --count=u8 in.npy
    [ "${#lines[@]}" -eq 1 ]
    npy "[('count', '<u4')]" 9000 <keys >in.npy
    run ! gsort --count=u8 in.npy -o new.npy
    [ "$output" = "gsort: in.npy: has a field 'count' already" ]
    [ ! -e new.npy ]
}
