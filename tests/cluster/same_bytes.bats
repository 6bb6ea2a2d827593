# However many ranks sort, the output has the same bytes.
# SPDX-License-Identifier: MIT

load ranks

setup()
{
    enter_ranks
}

# same N INPUT ARG...: N ranks and one process write the same.
same()
{
    local count=$1 input=$2
    shift 2
    "$GSORT" "$@" "$input" -o wanted
    ranks "$count" "$@" --verify "$input" -o out
    cmp wanted out || {
        echo "not the same: $count ranks, $input $*" >&2
        return 1
    }
    rm out
}

@test "one to eight ranks" {
    keygen uniform 300000 >in
    reference in >wanted
    for count in 1 2 3 4 5 6 7 8; do
        ranks "$count" --verify in -o out
        assert_same wanted out
        rm out
    done
}

@test "so many ranks that a rank is found by halving" {
    for distribution in uniform few zipf; do
        keygen "$distribution" 200000 >in
        same 12 in
    done
    same 12 in -t u64 -r
    same 12 in -t u128 -u
}

@test "few keys, or none" {
    for keys in 0 1 2 3 1000; do
        keygen uniform "$keys" >in
        same 4 in
        same 3 in -u
    done
}

@test "any distribution, either way and without duplicates" {
    for distribution in sorted reversed equal few zero-one zipf staggered; do
        keygen "$distribution" 100000 >in
        take_few "4 in" "3 in -r" "4 in -u"
        for how in "${TURNS[@]}"; do
            # shellcheck disable=SC2086  # words
            same $how
        done
    done
}

@test "any type" {
    local type
    for type in u8 i16 u32be f32 bf16 u64 f64be u128 b3 b12; do
        keygen uniform 60000 >in
        truncate -s 239616 in # a multiple of all sizes
        take_turns "3 in" "4 in -r -u"
        for how in "${TURNS[@]}"; do
            # shellcheck disable=SC2086  # words
            same $how -t "$type"
        done
    done
}

@test "records with keys, of which -u keeps the first" {
    keygen few 100000 >in
    same 3 in -R 16 -k 8:f64r -k 0:u64
    same 4 in -R 16 -k 8:u16 -u
    same 3 in -R 16 -k 8:u8 -u -r
    truncate -s 399994 in
    same 4 in -R 7 -k 2:i16
}

@test "several batches, and a sample that is not all" {
    keygen zipf 6000000 >in
    same 4 in
    keygen uniform 6000000 >in
    same 3 in -t u64
}

@test "several files, and bytes in front of them" {
    keygen uniform 70000 >a
    keygen sorted 1000 >b
    : >empty
    "$GSORT" a b empty a -o wanted
    ranks 3 --verify a b empty a -o out
    assert_same wanted out
    "$GSORT" --skip=24 a b -o wanted
    ranks 3 --skip=24 a b -o out
    assert_same wanted out
}

@test "standard input, read by one rank and dealt out" {
    keygen uniform 10000 >in # MPICH's mpirun passes on only as much as a pipe holds
    reference in >wanted
    ranks 4 --verify -o out < <(cat in)
    assert_same wanted out
    keygen uniform 200000 >in
    reference in >wanted
    mkfifo pipe
    cat in >pipe &
    ranks 4 --verify pipe -o out
    assert_same wanted out
}

@test "standard input that is empty, or so short that it could be anything" {
    for keys in 0 1 2; do
        keygen uniform "$keys" >in
        reference in >wanted
        ranks 3 - -o out < <(cat in)
        assert_same wanted out
    done
}

@test "standard input that has no room in memory" {
    keygen uniform 10000 >in
    reference in >wanted
    mkdir temporary
    for memory in 16K 64K 2M; do
        ranks 2 -S "$memory" -T temporary -o out < <(cat in)
        assert_same wanted out
        ranks_of_host 2 -S "$memory" -T temporary - -o out < <(cat in)
        assert_same wanted out
    done
    [ "$MPI" = mpich ] || {
        keygen uniform 2M >in
        reference in in >wanted
        ranks 3 -S 4M -T temporary --verify - in -o out < <(cat in)
        assert_same wanted out
    }
    [ -z "$(ls -A temporary)" ]
}

@test "the output replaces an input" {
    keygen uniform 200000 >in
    reference in >wanted
    ranks 3 in -o in
    assert_same wanted in
    assert_only in wanted
}

@test "ranges so long that they are sorted in the output's own memory" {
    keygen uniform 18M >in
    same 2 in -r --bins=16 --parallel=1
    same 2 in --skip=24 -t i32be --bins=16 --parallel=1
    "$GSORT" -t u64 in -o wanted
    split -n 2 -d -a 1 --additional-suffix=.bin in part-
    ranks 2 -t u64 --bins=16 --parallel=1 --local 'part-%r.bin' -o 'sorted-%r.bin' --verify
    cat sorted-?.bin | cmp - wanted
}
