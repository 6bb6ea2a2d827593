# Records smaller than an element, from a pipe larger than memory, are decoded where they were read.
# SPDX-License-Identifier: MIT

load ../helper

@test "records of 3 to 15 bytes from a pipe, through temporary files" {
    local bytes
    for bytes in 3 5 12 15; do
        keygen uniform $((bytes * 270001)) --type=u8 >in
        reference -R "$bytes" -k 1:u16 in >wanted
        # shellcheck disable=SC2002  # a pipe is what is tested
        cat in | gsort -R "$bytes" -k 1:u16 --device=cpu --parallel=2 -S 600K -T . --verify \
            --stats 2>stats >got
        assert_same wanted got
        grep -q 'through temporary files' stats
    done
}
