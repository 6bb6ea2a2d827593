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
        for distribution in uniform few equal; do
            keygen --type=u64 --record=16 $distribution $n >in
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
