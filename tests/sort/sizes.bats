# Every small number of keys, and every power of two and its neighbours, are sorted.
# SPDX-License-Identifier: MIT

load ../helper

@test "0 to 70 keys, with -r and -u" {
    for n in {0..70}; do
        keygen uniform "$n" --seed="$n" >in
        # With --device=gpu: each size once, the options in turn.
        if [ "$n" -le 20 ]; then
            take_turns "" "-r -u" -r -u
        else
            take_few "" "-r -u" -r -u
        fi
        for options in "${TURNS[@]}"; do
            # shellcheck disable=SC2086  # options are words
            assert_sorts $options in
        done
    done
}

@test "few keys give the same output as sort -n" {
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
        # With --device=gpu: each power once, the three sizes in turn.
        take_turns -1 0 1
        for by in "${TURNS[@]}"; do
            keygen uniform $(((1 << log2) + by)) --seed="$log2" >in
            assert_sorts in
        done
    done
}
