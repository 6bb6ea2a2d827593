# What ranks cannot do together is refused in one line, by all of them.
# SPDX-License-Identifier: MIT

load ranks

setup()
{
    enter_ranks
    end_at_once
    keygen uniform 1000 >in
}

# refused WORD ARG...: refused in one line with this word, and nothing is left.
refused()
{
    local word=$1
    shift
    run --separate-stderr ranks 3 "$@"
    [ "$status" -ne 0 ]
    assert_one_line "$word"
    assert_only in
}

@test "standard output, -m, shared-memory engines" {
    refused "standard output" in
    refused -m -m in -o out
    refused --engine --engine=hybrid in -o out
    refused --count --count=u32 in -o out
}

@test "--head, --tail and --split where ranks exchange records, names from standard input" {
    refused "--head and --tail" --head=5 in -o out
    refused "--head and --tail" --tail=5 in -o out
    refused "'--split' and '--apart'" --split=2 --apart in -o out%d
    refused "--files0-from=-" --files0-from=- -o out
}

@test "a bad option, which the first rank says" {
    refused frobnicate --frobnicate in -o out
    refused verify --argsort=u32 --verify in -o out
    refused "'-c' and '-m'" -c -m in
    refused local --local in -o 'out-%r'
    refused "byte 18" -R 16 -k 14:u32 in -o out
}

@test "more records than --argsort=u32 can count, where ranks know it" {
    truncate -s 4294967297 many
    run --separate-stderr ranks 2 --argsort=u32 -t u8 many -o out
    assert_one_line u64
    assert_only in many
}

@test "an input that is missing or odd, an output that cannot be" {
    refused no-such-file no-such-file in -o out
    refused "multiple of 16" -t u128 --skip=1 in -o out
    refused no/such/place in -o no/such/place
    refused /dev/null in -o /dev/null
}

@test "ranks of another MPI library" {
    local variable
    for variable in OMPI_COMM_WORLD_SIZE PMI_SIZE; do
        run -2 --separate-stderr env -u OMPI_COMM_WORLD_SIZE "$variable=2" "$GSORT_MPI" in -o out
        [[ $stderr == *"alone"* ]]
    done
    assert_only in
}

@test "what one rank alone cannot read, before it knows of the others" {
    local header="{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }"
    local rank
    for rank in 0 1 2; do
        printf '\x93NUMPY\x01\x00\x76\x00%-117s\n12345678' "$header" >"in-$rank.npy"
    done
    rm in
    for rank in 0 2; do
        printf '\x93NUMPY\x01\x00\x76\x00%-117s\n12345678' '{' >"in-$rank.npy"
        run --separate-stderr ranks 3 --local 'in-%r.npy' -o 'out-%r.npy'
        assert_one_line "in-$rank.npy"
        printf '\x93NUMPY\x01\x00\x76\x00%-117s\n12345678' "$header" >"in-$rank.npy"
    done
    assert_only in-0.npy in-1.npy in-2.npy
}
