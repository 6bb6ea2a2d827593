# Each shared-memory engine sorts like the reference: distributions, sizes, pipes, options.
# SPDX-License-Identifier: MIT

load ../helper

ENGINES="atomicmin reduction hybrid"

@test "every distribution, by each engine" {
    local dist dists engine lists
    dists=$(keygen --list | cut -d' ' -f1 | grep -vxE "gray|paths|alike")
    [ "$(wc -w <<<"$dists")" -ge 20 ]
    for dist in $dists; do
        keygen "$dist" 4099 >in
        # With --device=gpu: each distribution once, engines and lists in turn.
        # shellcheck disable=SC2086  # engines are words
        take_few $ENGINES
        for engine in "${TURNS[@]}"; do
            take_turns "" +--lists=64
            for lists in "${TURNS[@]}"; do
                assert_sorts "+--engine=$engine" ${lists:+"$lists"} in
            done
        done
    done
}

@test "sizes from 0 to 4100, around powers of two, by each engine" {
    local n
    for n in 0 1 2 3 5 7 8 9 15 16 17 31 32 33 63 64 65 100 127 128 129 255 256 257 511 513 1000 \
        1023 1024 1025 2047 2049 3333 4095 4096 4097 4100; do
        keygen uniform "$n" >in
        # With --device=gpu: each size once, the engines in turn.
        # shellcheck disable=SC2086  # engines are words
        take_few $ENGINES
        for engine in "${TURNS[@]}"; do
            assert_sorts "+--engine=$engine" in
        done
    done
}

@test "-r, -u, both, and --verify, by each engine" {
    keygen few 2000 >repeated
    keygen max-keys 2001 >largest
    for engine in $ENGINES; do
        for file in repeated largest; do
            assert_sorts -r "+--engine=$engine" $file
            assert_sorts -u "+--engine=$engine" $file
            assert_sorts -r -u "+--engine=$engine" +--verify +--lists=32 $file
        done
    done
}

@test "from pipe to pipe, and several files, by each engine" {
    keygen uniform 5000 >in
    keygen zipf 3001 >also
    reference in >wanted
    for engine in $ENGINES; do
        # shellcheck disable=SC2002  # a pipe is what is tested
        cat in | gsort --engine="$engine" | cat >got
        assert_same wanted got
        # shellcheck disable=SC2002
        cat in | gsort --engine="$engine" --verify | cat >got
        assert_same wanted got
        assert_sorts "+--engine=$engine" in also in
    done
}

@test "in place, and sorted input, by each engine" {
    keygen sorted 3000 >in
    for engine in $ENGINES; do
        assert_sorts "+--engine=$engine" in
        assert_sorts -r "+--engine=$engine" in
        keygen uniform 3000 >self
        reference self >wanted
        gsort -e "$engine" self -o self
        assert_same wanted self
    done
}
