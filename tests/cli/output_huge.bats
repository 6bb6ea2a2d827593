# An output on tmpfs holds the right keys whatever the huge page setting of the file system.
# SPDX-License-Identifier: MIT
#
# Code that makes pages ahead must not store into a page that the file system regards as never
# written: fallocate(2) leaves such pages, and the kernel maps a huge one without clearing it, but
# clears it when another process reads it.

load ../helper

@test "huge pages always, within a file's size, on advice, or never" {
    keygen uniform 9M >in
    reference in >wanted
    for huge in always within_size advise never; do
        mount_memory "$huge" "100m,huge=$huge"
        take_turns 1 2 4
        for threads in "${TURNS[@]}"; do
            gsort --bins=100 --parallel="$threads" in -o "$huge/out"
            assert_same wanted "$huge/out"
            gsort --parallel="$threads" in >"$huge/out"
            assert_same wanted "$huge/out"
        done
    done
}
