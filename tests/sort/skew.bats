# Larger inputs, with many bins and bins that are split again, are sorted for any distribution.
# SPDX-License-Identifier: MIT

load ../helper

@test "3 million keys of the hardest distributions" {
    take_turns uniform zipf log-uniform clusters two-clusters periodic max-keys all-but-one \
        staggered sorted-but-last nearly-sorted organ-pipe sawtooth
    for dist in "${TURNS[@]}"; do
        keygen "$dist" 3000001 --seed=3 >in
        reference in >wanted
        gsort in -o got
        assert_same wanted got || {
            echo "distribution: $dist" >&2
            return 1
        }
    done
}

@test "bins that all have the same number of keys, a power of two" {
    for dist in streams bit-reversed; do
        keygen "$dist" 4M >in
        reference in >wanted
        for threads in 1 4; do
            gsort --parallel="$threads" --verify in -o got
            assert_same wanted got
        done
    done
}

@test "few bins requested, which must be split again" {
    # 2000003 keys go straight to their bins, 3000001 by way of runs
    for keys in 2000003 3000001; do
        take_turns uniform zipf few exponential
        for dist in "${TURNS[@]}"; do
            keygen "$dist" "$keys" --seed=4 >in
            reference in >wanted
            # With --device=gpu: each input once, the numbers of bins in turn.
            take_few 1 2 3 17
            for bins in "${TURNS[@]}"; do
                gsort --engine=samplesort --bins="$bins" in -o got
                assert_same wanted got
            done
        done
    done
}

@test "a sample that misses the heavy value" {
    # 1.5 or 3 million keys: half of them have one value, the others are below it.
    for keys in 750000 1500000; do
        keygen narrow "$keys" >low
        keygen equal "$keys" >heavy
        take_turns 1 2 5 64 100000
        for samples in "${TURNS[@]}"; do
            assert_sorts "+--samples=$samples" +--engine=samplesort low heavy
        done
    done
}
