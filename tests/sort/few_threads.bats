# A small input takes fewer threads rather than temporary files.
# SPDX-License-Identifier: MIT

load ../helper

export GSORT_DEVICE= # records for the CPU

@test "400,000 bytes are sorted in memory, of a file or a pipe, whatever -S and the threads" {
    local way options threads limit
    keygen uniform 100000 >in
    for way in "-t u32" "-t u64" "-t u128" "-R 16 -k 4:f32" "-s -R 100 -k 0:b10" "-s -t u32"; do
        read -ra options <<<"$way"
        reference "${options[@]}" in >wanted
        [ "$way" != "-s -t u32" ] || options+=(--argsort=u32)
        [ "$way" != "-s -t u32" ] || gsort "${options[@]}" in -o wanted
        take_few 1:64K 2:1M 64:64K 1:3M 8:5M
        for limit in "${TURNS[@]}"; do
            threads=--parallel=${limit%:*} limit=${limit#*:}
            gsort "${options[@]}" "$threads" -S "$limit" --stats in -o out 2>stats
            assert_same wanted out
            grep -q '^temporary  *0 bytes' stats
            # shellcheck disable=SC2002  # a pipe is what is tested
            cat in | gsort "${options[@]}" "$threads" -S "$limit" --stats -o out 2>stats
            assert_same wanted out
            grep -q '^temporary  *0 bytes' stats
            gsort --plan "${options[@]}" "$threads" -S "$limit" in >plan
            grep -q 'sort in memory' plan
        done
    done
}

@test "where address space is short, many threads do what one does" {
    local options threads
    require_plain_build
    keygen uniform 400000 >in
    for options in "-R 100 -k 0:b10" "-R 8 -k 0:u32 -s" --argsort=u32 "-t u64"; do
        # shellcheck disable=SC2086  # several options
        gsort $options in -o wanted
        for threads in 1 2 5 16; do
            # shellcheck disable=SC2086
            (ulimit -v $((18000 + $(stat -c %s "$GSORT") / 1024)) &&
                "$GSORT" --device=cpu $options --parallel="$threads" -T . in -o out)
            assert_same wanted out
            # shellcheck disable=SC2002,SC2086
            (ulimit -v $((18000 + $(stat -c %s "$GSORT") / 1024)) && cat in |
                "$GSORT" --device=cpu $options --parallel="$threads" -T . >out)
            assert_same wanted out
        done
    done
}

# So it is by itself where pages come slowly, after the buffers for sorting were planned.
@test "where address space is short, so is what --direct writes from" {
    local kib threads options="--argsort=u64 -R 8 -k 0:u64"
    require_plain_build
    keygen uniform 4000000 >in
    # shellcheck disable=SC2086  # several options
    gsort $options in -o wanted
    for kib in 18500 20000; do
        for threads in 2 6; do
            # shellcheck disable=SC2002,SC2086
            (ulimit -v $((kib + $(stat -c %s "$GSORT") / 1024)) && cat in |
                "$GSORT" --direct --device=cpu $options --parallel="$threads" -T . -o out)
            assert_same wanted out
        done
    done
}
