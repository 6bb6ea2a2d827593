# Inputs at the sizes of tiles, bins, chunks and buffers, plus and minus one key, are sorted.
# SPDX-License-Identifier: MIT

load ../helper

# constant NAME: print the value of a constant of the sort, so that the test follows its changes.
constant()
{
    local value
    # a number, or the keys of 4 bytes in some KiB
    value=$(sed -n "s/^#define $1 *GS_KEYS_IN(\([0-9]*\))/\1 * 256/p
        s/^#define $1 *\([0-9]*\)$/\1/p" \
        "$ROOT"/sort/{keys/params,types/limits}.h)
    [ -n "$value" ] || {
        echo "no $1 in sort/keys/params.h and sort/types/limits.h" >&2
        return 1
    }
    echo "$((value))"
}

# around N...: sort N-1, N and N+1 keys of two distributions, one of them also with three threads.
around()
{
    local n by options
    for n; do
        for by in -1 0 1; do
            keygen uniform $((n + by)) --seed="$n" >in
            keygen few $((n + by)) --seed="$n" >repeated
            # With --device=gpu: each size once, the three runs in turn.
            take_few in "+--parallel=3 in" "-u repeated"
            for options in "${TURNS[@]}"; do
                # shellcheck disable=SC2086  # options are words
                assert_sorts $options
            done
        done
    done
}

@test "around the size up to which the input is one bin" {
    local n
    n=$(constant GS_ONE_BIN_KEYS)
    around "$n" $((2 * n))
}

@test "around multiples of the tile size" {
    local n
    n=$(constant GS_TILE_KEYS)
    around "$n" $((2 * n)) $((3 * n)) $((5 * n))
}

@test "around multiples of the bin size" {
    local n
    n=$(constant GS_BIN_KEYS)
    around "$n" $((2 * n)) $((3 * n))
    n=$(constant GS_FEW_BIN_KEYS)
    around $((5 * n)) $((8 * n))
}

@test "around the size up to which keys go straight to their bins" {
    around "$(constant GS_FEW_KEYS)"
}

@test "around multiples of the chunk size, small and large" {
    local small large
    small=$(constant GS_CHUNK_KEYS_MIN)
    large=$(constant GS_CHUNK_KEYS_MAX)
    around $((5 * small)) $((8 * small)) "$large" $((3 * large))
}

@test "around the sizes at which chunks begin to grow and are largest" {
    local small large chunks
    small=$(constant GS_CHUNK_KEYS_MIN)
    large=$(constant GS_CHUNK_KEYS_MAX)
    chunks=$(constant GS_CHUNKS_PER_THREAD)
    around $((chunks * small)) $((chunks * 2 * small)) $((chunks * large)) $((3 * chunks * large))
}

@test "around the largest bin that is sorted without a split, and thrice that" {
    # --bins=2: one splitter, two bins of about half of the keys; a larger bin is split in its runs.
    local n by dist options
    n=$(constant GS_BIN_KEYS_LARGE)
    for by in -1 0 1 $((8 * n)); do
        for dist in uniform clusters zipf; do
            keygen "$dist" $((4 * n + by)) >in
            # With --device=gpu: each input once, the options in turn.
            take_turns "" -ru
            for options in "${TURNS[@]}"; do
                assert_sorts +--bins=2 ${options:+"$options"} in
            done
        done
    done
}

@test "as many bins as possible, and about as many keys" {
    local bins
    bins=$(constant GS_OPTION_BINS_MAX)
    for n in $((bins - 1)) "$bins" $((bins + 1)) $((bins * 20 + 1)); do
        # With --device=gpu: each size once, the distributions in turn.
        take_turns uniform few clusters
        for dist in "${TURNS[@]}"; do
            keygen "$dist" "$n" >in
            assert_sorts "+--bins=$bins" +--engine=samplesort in
        done
    done
}

@test "around the sizes of a page and of pipe buffers, from pipe to pipe" {
    for bytes in 4096 65536 1048576 4194304 8388608; do
        # With --device=gpu: each boundary once, the three sizes in turn.
        take_turns -1 0 1
        for by in "${TURNS[@]}"; do
            keygen uniform $((bytes / 4 + by)) >in
            reference in >wanted
            # shellcheck disable=SC2002  # a pipe is what is tested
            cat in | gsort | cat >got
            assert_same wanted got
        done
    done
}
