# An input of several chunks is sorted; a GPU sorts bins that are small enough in batches.
# SPDX-License-Identifier: MIT

load ../helper

# Just more than one chunk, and five batches, of the GPU.
KEYS=16777729

@test "several chunks of uniform keys, from file to file, with -r to a pipe, and with two bins" {
    keygen uniform "$KEYS" >in
    assert_sorts in
    assert_sorts +--bins=2 in
    reference -r in >wanted
    gsort -r --verify <in | cmp - wanted
}

@test "several chunks of few values, with -r" {
    keygen few "$KEYS" >in
    assert_sorts -r in
}

@test "several chunks with frequent values among others, with -u" {
    keygen zipf "$KEYS" >in
    assert_sorts -u in
}
