# A .npy header grows where the count of records needs more room than it has.
# SPDX-License-Identifier: MIT

load ../npy

# sorts_to COUNT: out is a .npy file of so many keys, those of `expected`, behind an aligned header.
sorts_to()
{
    local bytes
    bytes=$(od -An -tu2 -j8 -N2 out)
    bytes=$((bytes + 10))
    [ $((bytes % 64)) -eq 0 ]
    head -c "$bytes" out | grep -aq "'shape': ($1,)"
    [ "$(head -c "$bytes" out | tail -c 1 | od -An -tx1)" = " 0a" ]
    tail -c +$((bytes + 1)) out | cmp expected -
    gsort -c out
}

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    for i in {0..11}; do
        keygen --seed="$i" uniform 1 >"raw$i"
        npy_text 1 "$(dictionary "'<u4'" '(1,)')" <"raw$i" >"tight$i.npy"
        npy_text 2 "$(dictionary "'<u4'" '()')" <"raw$i" >"single$i.npy"
    done
    cat raw? raw1? | reference >expected
}

setup()
{
    enter_directory
    cp "$BATS_FILE_TMPDIR"/* .
}

@test "many files without room, in every way" {
    for command in "gsort tight*.npy -o out" "gsort tight*.npy >out" "gsort tight*.npy | cat >out" \
        "gsort -m tight*.npy -o out" "gsort -S 1M -T . tight*.npy -o out" \
        "gsort -u tight*.npy -o out" \
        "gsort tight0.npy - tight[2-9].npy tight1?.npy -o out <tight1.npy" \
        "gsort <(cat tight0.npy) tight[1-9].npy tight1?.npy -o out" \
        "gsort <(cat tight0.npy) tight[1-9].npy tight1?.npy | cat >out" \
        "gsort tight0.npy <(cat tight1.npy) tight[2-9].npy tight1?.npy --verify -o out" \
        "cp tight0.npy out; gsort out tight[1-9].npy tight1?.npy -o out"; do
        echo "$command"
        bash -c "set -o pipefail; $command"
        sorts_to 12
        rm out
    done
}

@test "arrays of no dimension become one of one" {
    gsort single*.npy -o out
    head -c 128 out | grep -aq "'shape': (12,)"
    [ "$(head -c 7 out | tail -c 1 | od -An -tx1)" = " 02" ]
    tail -c 48 out | cmp expected -
    gsort -c out
}

@test "a header whose count stays is copied as it is" {
    for way in "-u" "-r" "-s" "-S 1M -T ." "--verify"; do
        # shellcheck disable=SC2086  # words
        gsort $way tight0.npy -o out
        cmp tight0.npy out
        # shellcheck disable=SC2086
        gsort $way single0.npy -o out
        cmp single0.npy out
    done
}

@test "-u makes a count smaller" {
    head -c 4000 /dev/zero | npy_text 1 "$(dictionary "'<u4'" '(1000,)')" >in.npy
    size=$(dictionary "'<u4'" '(1000,)' | wc -c)
    gsort -u in.npy -o out
    [ "$(wc -c <out)" -eq $((10 + size + 4)) ]
    head -c $((10 + size)) out | grep -aq "'shape': (1,), } *$"
}
