# A shared-memory engine sorts elements of 4 bytes, and says so of others in one line.
# SPDX-License-Identifier: MIT

load ../helper

@test "elements of 8 and 16 bytes are refused in one line, and nothing is written" {
    local engine type
    keygen --type=u64 uniform 100 >in.u64
    keygen --type=u128 uniform 100 >in.u128
    for engine in atomicmin reduction hybrid; do
        for type in u64 u128; do
            run -2 --separate-stderr gsort --engine="$engine" --type="$type" "in.$type" -o out
            assert_trouble "$engine" "keys of 4 bytes"
            [ ! -e out ]
        done
    done
}
