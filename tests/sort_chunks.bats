# An input of several chunks, whose bins a GPU sorts in batches where they are small enough.
# SPDX-License-Identifier: MIT

load helper

# Just above one chunk of the GPU's, and five of its batches.
KEYS=16777729

@test "uniform keys" {
    keygen uniform "$KEYS" >in
    assert_sorts in
}

@test "few values, descending" {
    keygen few "$KEYS" >in
    assert_sorts -r in
}

@test "frequent values among others, each once" {
    keygen zipf "$KEYS" >in
    assert_sorts -u in
}

@test "descending, proven, through a pipe" {
    keygen uniform "$KEYS" >in
    reference -r in >wanted
    gsort -r --verify <in | cmp - wanted
}

@test "bins of half the keys" {
    keygen uniform "$KEYS" >in
    assert_sorts +--bins=2 in
}
