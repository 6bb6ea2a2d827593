# A sort works with small stacks, because its buffers are elsewhere.
# SPDX-License-Identifier: MIT

load ../helper

# small_stack KIB ARG...: run gsort with a stack of KIB.
small_stack()
{
    (
        ulimit -s "$1"
        "$GSORT" --device=cpu --parallel=2 "${@:2}"
    )
}

@test "a small stack: few values, which are counted" {
    require_plain_build
    keygen narrow 700001 >in
    small_stack 320 in -o got
    reference in >wanted
    assert_same wanted got
}

@test "a small stack: an external sort" {
    require_plain_build
    keygen uniform 6000000 >in
    small_stack 320 -S 8M -T . in -o got
    reference in >wanted
    assert_same wanted got
}

@test "a small stack: a sort in memory" {
    require_plain_build
    keygen uniform 50000 >in
    small_stack 320 in -o got
    reference in >wanted
    assert_same wanted got
}

@test "a small stack: one bin, and a long environment" {
    require_plain_build
    keygen uniform 40000 >in
    LONG=$(printf '%0110000d' 0) small_stack 320 in -o got
    reference in >wanted
    assert_same wanted got
}

@test "a stack that is too small is refused before any work" {
    keygen uniform 1000 >in
    run -2 --separate-stderr small_stack 256 in -o got
    assert_trouble "stacks of 256 KiB" "320 are needed"
    [ ! -e got ]
    require_plain_build
    small_stack 320 in -o got
    reference in >wanted
    assert_same wanted got
}
