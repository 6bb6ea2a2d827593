# Sizes: every small number of keys, and every power of two and its neighbours, sort right.
# SPDX-License-Identifier: MIT

load helper

@test "0 to 70 keys, in every direction" {
    for n in {0..70}; do
        keygen uniform "$n" --seed="$n" >in
        assert_sorts in
        assert_sorts -r -u in
        if [ "$n" -le 20 ]; then
            assert_sorts -r in
            assert_sorts -u in
        fi
    done
}

@test "few keys agree with sort -n" {
    for n in 0 1 2 3 4 15 16 17 1000; do
        keygen few "$n" --seed=9 >in
        decimal in | sort -n >wanted
        gsort in | decimal >got
        assert_same wanted got
        decimal in | sort -n -r -u >wanted
        gsort -r -u in | decimal >got
        assert_same wanted got
    done
}

@test "powers of two up to 2^20, plus and minus one" {
    for log2 in {7..20}; do
        for by in -1 0 1; do
            keygen uniform $(((1 << log2) + by)) --seed="$log2" >in
            assert_sorts in
        done
    done
}
