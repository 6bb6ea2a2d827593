# A small input takes fewer threads rather than temporary files.
# SPDX-License-Identifier: MIT

load ../helper

export GSORT_DEVICE= # records for the CPU

@test "400,000 bytes are sorted in memory with -S 5M, whatever the number of threads" {
    local threads
    keygen uniform 100000 >in
    reference in >wanted
    for threads in 1 2 8 64; do
        gsort --parallel="$threads" -S 5M --stats in -o out 2>stats
        assert_same wanted out
        grep -q '^temporary  *0 bytes' stats
        gsort --plan --parallel="$threads" -S 5M in >plan
        grep -q 'sort in memory' plan
    done
}

@test "so are those of a pipe, from -S 8M on" {
    local threads
    keygen uniform 100000 >in
    reference in >wanted
    for threads in 1 2 8 64; do
        # shellcheck disable=SC2002  # a pipe is what is tested
        cat in | gsort --parallel="$threads" -S 8M --stats -o out 2>stats
        assert_same wanted out
        grep -q '^temporary  *0 bytes' stats
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
