# An input beyond device memory, which is distributed by the CPU and sorted in pieces by the GPU.
# SPDX-License-Identifier: MIT

load helper

# 64 MiB are the driver's; what is beyond has room for 20000 keys.
KEYS=300007
MEMORY=67272064b

setup()
{
    [ "$GSORT_DEVICE" = gpu ] || skip "--device=gpu only"
    enter_directory
}

# assert_pieces DISTRIBUTION OPTION...: sorted by the GPU, and proven.
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

@test "uniform keys" {
    assert_pieces uniform
}

@test "bins beyond what the GPU has room for, descending" {
    assert_pieces zipf -r
}

@test "each key once" {
    assert_pieces zipf -u
}

@test "few values" {
    assert_pieces few
}

@test "through pipes" {
    keygen uniform "$KEYS" >in
    reference in >wanted
    gsort --device-memory="$MEMORY" <in | cmp - wanted
}

@test "room for nothing at all is an error that says so" {
    keygen uniform "$KEYS" >in
    run -2 --separate-stderr gsort --device-memory=1M in -o out
    assert_trouble memory
    assert_only in
}
