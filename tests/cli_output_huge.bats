# An output on tmpfs holds the keys, however that file system gives out large pages.
# SPDX-License-Identifier: MIT
#
# Whoever makes pages ahead must not write to one that the file system takes for never written to:
# fallocate(2) leaves such a page, and where it is a large one the kernel maps it as it is, and
# clears it when somebody else reads it.

load helper

@test "large pages always, within a file's size, where asked for, never" {
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
