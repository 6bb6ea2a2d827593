# An input larger than device memory is distributed by the CPU and sorted in pieces by the GPU.
# SPDX-License-Identifier: MIT

load ../helper

# The driver gets 64 MiB; the rest has room for 20000 keys.
KEYS=300007
MEMORY=67272064b

setup()
{
    [ "$GSORT_DEVICE" = gpu ] || skip "--device=gpu only"
    enter_directory
}

# assert_pieces DISTRIBUTION OPTION...: the GPU sorts the keys in pieces, and --verify passes.
assert_pieces()
{
    local distribution=$1
    shift
    keygen "$distribution" "$KEYS" >in
    reference "$@" in >wanted
    gsort --device-memory="$MEMORY" --stats=json --verify "$@" in -o out 2>stats
    assert_same wanted out
    grep -q '^  "device": "gpu"' stats
}

@test "pieces of uniform keys" {
    assert_pieces uniform
}

@test "bins larger than the room on the GPU, with -r" {
    assert_pieces zipf -r
}

@test "pieces with -u" {
    assert_pieces zipf -u
}

@test "pieces of other types, and of records of equal keys with -u" {
    assert_pieces uniform -t f32
    assert_pieces uniform -t i32be -r
    assert_pieces zipf -R 4 -k 0:i16be -u
    assert_pieces uniform -R 4 -k 1:u16 -u -r
}

@test "pieces of few values" {
    assert_pieces few
}

@test "pieces to a pipe" {
    keygen uniform "$KEYS" >in
    reference in >wanted
    gsort --device-memory="$MEMORY" <in | cmp - wanted
}

@test "no room for any keys on the GPU is an error that says so" {
    keygen uniform "$KEYS" >in
    run -2 --separate-stderr gsort --device-memory=1M in -o out
    assert_trouble memory
    assert_only in
}

# So many that a GPU pays off for two threads.
@test "with two threads, auto sorts keys of 8 bytes in pieces, too" {
    export GSORT_DEVICE=
    keygen uniform 90000000 >in
    gsort --device-memory=400M --parallel=2 -t u64 --stats=json --verify in -o out 2>stats
    gsort -c -t u64 out
    grep -q '^  "device": "gpu"' stats
    grep -q '^  "warning": null' stats
}
