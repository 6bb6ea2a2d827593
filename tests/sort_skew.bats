# Larger inputs, of many bins and bins split again, sort right whatever the distribution.
# SPDX-License-Identifier: MIT

load helper

@test "3 million keys of the distributions that hurt" {
    for dist in uniform zipf log-uniform clusters two-clusters periodic max-keys all-but-one \
        staggered sorted-but-last; do
        keygen "$dist" 3000001 --seed=3 >in
        reference in >wanted
        gsort in -o got
        assert_same wanted got || {
            echo "distribution: $dist" >&2
            return 1
        }
    done
}

@test "bins that must be split again: few bins asked for" {
    for dist in uniform zipf few exponential; do
        keygen "$dist" 2000003 --seed=4 >in
        reference in >wanted
        for bins in 1 2 3 17; do
            gsort --engine=samplesort --bins="$bins" in -o got
            assert_same wanted got
        done
    done
}

@test "a sample that misses the heavy value" {
    # 1.5 million keys, half of them one value, the others below it: with two samples a bin.
    keygen narrow 750000 >low
    keygen equal 750000 >heavy
    for samples in 1 2 5 64 100000; do
        assert_sorts "+--samples=$samples" +--engine=samplesort low heavy
    done
}
