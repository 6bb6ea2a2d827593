# Each of some thousand random command lines, most of them wrong, exits with status 0, 1 or 2.
# SPDX-License-Identifier: MIT

load ../helper

# Two processes run half each, with fixed seeds. GSORT_FUZZ_COUNT sets another number.
@test "random command lines exit with 0, 1 or 2" {
    local half=$((${GSORT_FUZZ_COUNT:-1500} / 2))
    ! is_expensive || half=5000
    for seed in 1 2; do
        mkdir -p "$seed/directory"
        keygen uniform 100 >"$seed/keys.bin"
        printf 'abc' >"$seed/odd.bin"
        (
            cd "$seed" || exit
            exec "$FUZZ_OPTIONS" "$GSORT" "$half" "$seed"
        ) >"report.$seed" 3>&- &
    done
    local status=0
    wait -n || status=1
    wait -n || status=1
    tail -n 30 report.*
    [ "$status" -eq 0 ]
}
