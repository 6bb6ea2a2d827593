# Bins that are loaded together are sorted from the order in which they lie on the disk.
# SPDX-License-Identifier: MIT

load ../helper

KEYS=6000017

# counted FILE: keys whose bins were found, by that report.
counted()
{
    sed -n 's/.*"count bins".*"keys": \([0-9]*\),.*/\1/p' "$1"
}

# assert_groups SIZE [OPTION...] FILE: the output with -S SIZE is right, and no group of bins was
# distributed again after it was loaded. Where -u leaves little, there are no groups.
assert_groups()
{
    local size=$1
    shift
    gsort -S "$size" --device=cpu --parallel=2 -T . --verify --stats=json "$@" -o got 2>stats
    assert_same wanted got
    if ! grep -q 'combined first' stats; then
        grep -q 'through temporary files' stats
        [ "$(counted stats)" -eq "$KEYS" ]
    fi
    gsort -S "$size" --device=cpu --parallel=2 -T . --verify "$@" | cat >got
    assert_same wanted got
}

@test "groups of bins of various distributions, with -r and -u" {
    for name in uniform zipf organ-pipe max-keys; do
        keygen "$name" "$KEYS" >in
        take_few "" -r -u -ru
        for options in "${TURNS[@]}"; do
            reference ${options:+"$options"} in >wanted
            assert_groups 12M ${options:+"$options"} in
        done
    done
}

@test "groups whose parts of a chunk are longer than a row" {
    for name in uniform sorted log-uniform; do
        keygen "$name" "$KEYS" >in
        take_turns "" -r
        for options in "${TURNS[@]}"; do
            reference ${options:+"$options"} in >wanted
            assert_groups 24M ${options:+"$options"} in
        done
    done
}

@test "groups of a pipe whose bins are larger than the cache" {
    keygen exponential 12000017 >in
    reference in >wanted
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | gsort -S 32M --device=cpu -T . --stats 2>stats >got
    assert_same wanted got
    grep -q 'through temporary files' stats
}

@test "with --bins or --samples, each group is sorted like an input of its own" {
    keygen uniform "$KEYS" >in
    reference in >wanted
    for option in --bins=100 --samples=1000; do
        gsort "$option" -S 12M --device=cpu --parallel=2 -T . --verify --stats=json in -o got \
            2>stats
        assert_same wanted got
        [ "$(counted stats)" -eq $((2 * KEYS)) ]
    done
}
