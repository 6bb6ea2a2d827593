# An engine that is not there yet is refused in one line that says what is missing.
# SPDX-License-Identifier: MIT

load helper

@test "--engine=atomicmin, reduction, hybrid" {
    keygen uniform 100 >in
    for engine in atomicmin reduction hybrid; do
        run -2 --separate-stderr gsort --engine="$engine" in -o out
        assert_trouble "$engine"
        [ ! -e out ]
    done
}
