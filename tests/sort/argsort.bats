# --argsort writes where records were in the input, in order; those of equal keys ascend.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "indices of records of any size"
    enter_directory
}

# Print the position that each record of 16 bytes has behind its key, in the order of the reference.
expected()
{
    reference -s "$@" | od -An -v -tu8 -w16 | awk '{ print $2 }'
}

positions()
{
    od -An -v "-tu$1" "-w$1" "$2" | tr -d ' '
}

@test "records of small and large numbers, in both directions" {
    local n distribution
    for n in 0 1 2 1000 100000; do
        take_turns uniform few equal
        for distribution in "${TURNS[@]}"; do
            keygen --type=u64 --record=16 "$distribution" "$n" >in
            gsort -R 16 -k 0:u64 --argsort=u32 in -o out
            expected -R 16 -k 0:u64 in | cmp - <(positions 4 out)
            gsort -R 16 -k 0:u64 --argsort=u64 -r <in >out
            expected -R 16 -k 0:u64 -r in | cmp - <(positions 8 out)
            gsort -R 16 -k 0:u64 --argsort=u64 -u in -o out
            expected -R 16 -k 0:u64 -u in | cmp - <(positions 8 out)
        done
    done
}

@test "positions count through all inputs, of pipes, too" {
    keygen --type=u64 --record=16 narrow 30000 >in
    head -c 160000 in >a
    tail -c +160001 in >b
    expected -R 16 -k 0:u64 in >wanted
    gsort -R 16 -k 0:u64 --argsort=u64 a b -o out
    cmp wanted <(positions 8 out)
    gsort -R 16 -k 0:u64 --argsort=u32 --parallel=3 a <(cat b) | positions 4 - | cmp wanted -
    gsort -R 16 -k 0:u64 --argsort=u32 --skip=160000 in -o out
    expected -R 16 -k 0:u64 b | awk '{ print $1 - 10000 }' | cmp - <(positions 4 out)
}

@test "of keys that are whole records, and of wide records" {
    printf '\3\1\2\1\0' | gsort -t u8 --argsort=u32 | positions 4 - | xargs >out
    [ "$(cat out)" = "4 1 3 2 0" ]
    keygen gray 5000 >in
    gsort -R 100 -k 0:b10 --argsort=u32 in | positions 4 - >out
    reference -R 100 -k 0:b10 in | od -An -v -tx1 -w100 | awk '{
        digits = "30 31 32 33 34 35 36 37 38 39 41 42 43 44 45 46"
        position = 0
        for (i = 37; i <= 44; i++) # the last 8 of 32 hexadecimal digits
            position = 16 * position + (index(digits, $i) - 1) / 3
        print position
    }' >wanted
    cmp wanted out
}

@test "the indices replace an input, and have no header" {
    keygen --type=u64 --record=16 uniform 1000 >in
    expected -R 16 -k 0:u64 in >wanted
    gsort -R 16 -k 0:u64 --argsort=u64 in -o in
    cmp wanted <(positions 8 in)
}

# same_spilled COUNT BYTES ARG...: the same through temporary files, which had all COUNT records
# of BYTES, each with its position.
same_spilled()
{
    local spilled
    "$GSORT" "${@:3}" -o wanted
    "$GSORT" "${@:3}" -S 4M -T tmp --stats -o out 2>stats
    assert_same wanted out
    spilled=$(awk '$1 == "temporary" { print $2 }' stats)
    [ "$spilled" -eq $(($1 * ($2 + 8))) ] || {
        echo "$spilled bytes in temporary files" >&2
        return 1
    }
    [ -z "$(ls -A tmp)" ]
}

@test "through temporary files: any format" {
    local bytes count options distributions=(uniform few equal)
    mkdir tmp
    for bytes in 1 4 8 13 16 17 100; do
        count=$((bytes < 8 ? 1000000 : 400000))
        keygen --type=u8 --record="$bytes" "${distributions[bytes % 3]}" "$count" >in
        take_few "-k 0:u8" "-k 0:u8 -r" ""
        for options in "${TURNS[@]}"; do
            # shellcheck disable=SC2086  # options are words
            same_spilled "$count" "$bytes" --argsort=u32 -R "$bytes" $options in
        done
    done
    keygen --type=f64 few 500000 >in
    same_spilled 500000 8 --argsort=u64 -t f64 -r in
}

@test "through temporary files: long records" {
    mkdir tmp
    keygen --record=2000 few 20000 >in
    gsort --argsort=u32 -R 2000 -k 3:u8 -r in -o wanted
    gsort --argsort=u32 -R 2000 -k 3:u8 -r -S 16M -T tmp --stats < <(cat in) >out 2>stats
    assert_same wanted out
    grep -q "^temporary  *40160000 bytes" stats
}

@test "through temporary files: against the reference, with ties, and the first of each" {
    local options
    mkdir tmp
    keygen --type=u64 --record=16 zipf 600000 >in
    take_turns "" -r -u "-r -u"
    for options in "${TURNS[@]}"; do
        # shellcheck disable=SC2086  # options are words
        {
            expected -R 16 -k 0:u64 $options in >wanted
            gsort -R 16 -k 0:u64 $options --argsort=u32 -S 4M -T tmp in -o out
            cmp wanted <(positions 4 out)
            gsort -R 16 -k 0:u64 $options --argsort=u64 -S 4M -T tmp --stats \
                < <(cat in) >out 2>stats
        }
        cmp wanted <(positions 8 out)
        grep -q "^temporary  *[1-9]" stats
    done
}

@test "through temporary files: files and pipes in any order, and bytes in front" {
    mkdir tmp
    keygen --type=u8 --record=8 uniform 300000 >a
    keygen --type=u8 --record=8 --seed=2 uniform 50000 >b
    gsort -R 8 -k 0:u8 --skip=80 --argsort=u32 a b a b b -o wanted
    gsort -R 8 -k 0:u8 --skip=80 --argsort=u32 -S 4M -T tmp --stats a b a b b -o out 2>stats
    assert_same wanted out
    grep -q "^temporary  *$(((750000 - 50) * 16)) bytes" stats
    gsort -R 8 -k 0:u8 --skip=80 --argsort=u32 -S 4M -T tmp <(cat a) b a <(cat b) b -o out
    assert_same wanted out
    gsort -R 8 -k 0:u8 --skip=80 --argsort=u32 -S 4M -T tmp a b <(cat a) b b >out
    assert_same wanted out
    cat a a >out
    gsort -R 8 -k 0:u8 --argsort=u64 a a -o wanted
    gsort -R 8 -k 0:u8 --argsort=u64 -S 4M -T tmp out -o out
    assert_same wanted out
}

@test "through temporary files: a NumPy array, as a file and through a pipe" {
    mkdir tmp
    keygen --record=20 few 400000 >records
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': [('key', '<u4'), ('rest', '|S16')], \
'fortran_order': False, 'shape': (400000,), }" >in.npy
    cat records >>in.npy
    gsort --argsort=u32 -k rest in.npy -o wanted
    [ "$(wc -c <wanted)" -eq 1600000 ]
    gsort --argsort=u32 -k rest -S 4M -T tmp in.npy -o out --stats 2>stats
    assert_same wanted out
    gsort --argsort=u32 -k rest -S 4M -T tmp --stats < <(cat in.npy) >out 2>>stats
    assert_same wanted out
    [ "$(grep -c "^temporary  *11200000 bytes" stats)" -eq 2 ]
}

@test "too little room for temporary files is known before" {
    mount_memory tmp 5m
    keygen --type=u8 --record=4 uniform 600000 >in # 2.4 MB, and 7.2 MB with positions
    run -2 --separate-stderr gsort -R 4 -k 0:u8 --argsort=u32 -S 4M -T tmp in -o out
    assert_trouble tmp "No space left"
    [ ! -e out ]
}

@test "what does not go together is refused" {
    keygen uniform 10 >in
    run -2 --separate-stderr gsort --argsort=u16 in -o out
    assert_trouble "invalid --argsort argument 'u16'"
    run -2 --separate-stderr gsort --argsort=u32 -c in
    assert_trouble "options '-c' and '--argsort' are incompatible"
    run -2 --separate-stderr gsort --argsort=u32 -m in -o out
    assert_trouble "options '-m' and '--argsort' are incompatible"
    run -2 --separate-stderr gsort --argsort=u32 --verify in -o out
    assert_trouble "options '--argsort' and '--verify' are incompatible"
    [ ! -e out ]
}
