# A small input takes fewer threads rather than temporary files.
# SPDX-License-Identifier: MIT

load ../helper

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
