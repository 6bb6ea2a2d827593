# Around the size beyond which memory does not suffice, and with any number of threads, gsort sorts.
# SPDX-License-Identifier: MIT

load ../helper

@test "sizes around the largest that fits in memory" {
    keygen uniform 1000000 >all
    # Find, by --plan, the smallest number of keys that needs an external sort.
    low=1 high=1000000
    while [ $((high - low)) -gt 1 ]; do
        middle=$(((low + high) / 2))
        head -c $((middle * 4)) all >in
        if gsort --plan -S 3M in | grep -q 'external sort'; then
            high=$middle
        else
            low=$middle
        fi
    done
    for n in $((low - 1)) "$low" "$high" $((high + 1)) $((2 * high)); do
        head -c $((n * 4)) all >in
        reference in >wanted
        gsort -S 3M --stats in -o got 2>stats
        assert_same wanted got
        [ "$n" -le "$low" ] || grep -q 'through temporary files' stats
        # shellcheck disable=SC2002  # a pipe is what is tested
        cat in | gsort -S 3M -o got
        assert_same wanted got
    done
}

@test "external sorts with various numbers of threads and memory sizes" {
    keygen zipf 2000003 >in
    reference in >wanted
    for threads in 1 2 3 7; do
        # With --device=gpu: each number of threads once, the memory sizes in turn.
        take_few 1 3M 5000K 7M
        for size in "${TURNS[@]}"; do
            gsort --parallel="$threads" -S "$size" in -o got
            assert_same wanted got
        done
    done
}

@test "an external sort within -S, 64 MiB and the program file of address space" {
    require_plain_build
    keygen uniform 32M >in # 128 MiB
    "$GSORT" in -o wanted
    # Beside -S, 64 MiB are for threads and libraries; the program file (in a build with CUDA it
    # contains the kernels) takes address space, too.
    local limit=$(((32 + 64) * 1024 + $(stat -c %s "$GSORT") / 1024))
    (
        ulimit -v "$limit"
        "$GSORT" --device=cpu --parallel=2 -S 32M -T . in -o got
    )
    assert_same wanted got
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | (
        ulimit -v "$limit"
        "$GSORT" --device=cpu --parallel=2 -S 32M -T . >got
    )
    assert_same wanted got
    # With a larger limit, gsort must succeed as well.
    take_few 128 160 250 400 1000
    for mib in "${TURNS[@]}"; do
        (
            ulimit -v $((mib * 1024 + $(stat -c %s "$GSORT") / 1024))
            "$GSORT" --device=cpu --parallel=2 -S 32M -T . in -o got
            assert_same wanted got
            "$GSORT" --device=cpu --parallel=2 -T . in -o got
            assert_same wanted got
        )
    done
}

@test "an input 16 times as large as -S is sorted within -S + 64 MiB" {
    require_expensive
    [ -x /usr/bin/time ] || skip "needs /usr/bin/time"
    keygen uniform 128M >in # 512 MiB
    /usr/bin/time -f %M -o peak "$GSORT" --device=cpu -S 32M -T . in -o got
    gsort -c got
    [ "$(tail -n 1 peak)" -le $(((32 + 64) * 1024)) ]
}
