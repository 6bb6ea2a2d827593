# Where -S has room for a good part of the input, that part stays in memory; the rest is written.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
}

# temporary_bytes OPTION...: print how much gsort writes to temporary files, in ./out; its order and
# fingerprint are verified.
temporary_bytes()
{
    gsort --stats=json --verify "$@" in -o out 2>stats || return
    sed -n 's/.*"temporary_bytes": \([0-9]*\).*/\1/p' stats
}

@test "more memory, less in temporary files, and the same bytes" {
    local size written before=67108864
    keygen uniform 16M >in
    gsort in -o wanted
    for size in 32M 48M 64M; do
        written=$(temporary_bytes -S "$size" -T .)
        assert_same wanted out
        [ "$written" -gt 0 ]
        [ "$written" -lt "$before" ]
        before=$written
    done
    assert_only in out stats wanted
}

@test "distributions, directions, -u" {
    local distribution option
    for distribution in zipf two-clusters sorted-but-last; do
        keygen $distribution 7M >in
        for option in "" "-r -u"; do
            # shellcheck disable=SC2086  # options are words
            reference $option in >wanted
            # shellcheck disable=SC2086
            gsort $option -S 25M -T . in -o out
            assert_same wanted out
        done
    done
}

@test "wide keys, in place" { # on the CPU
    local type
    for type in u64 u128; do
        keygen --type=$type uniform $((48 * 8 / ${type#u}))M >in
        "$GSORT" -t $type in -o wanted
        "$GSORT" -t $type -S 40M -T . in -o in
        assert_same wanted in
    done
}
