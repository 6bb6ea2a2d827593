# The edge-case files of data/edge/ sort right; those of odd length are refused.
# SPDX-License-Identifier: MIT

load helper

@test "every edge file, in every direction" {
    local count=0
    for file in "$ROOT"/data/edge/*.bin; do
        case $file in
        */odd_*) continue ;;
        esac
        # With --device=gpu: each file once, the directions by turns.
        take_turns "" -r -u "-r -u"
        for options in "${TURNS[@]}"; do
            # shellcheck disable=SC2086  # options are words
            assert_sorts $options "$file"
        done
        count=$((count + 1))
    done
    [ "$count" -ge 15 ]
}

@test "every edge file of odd length is refused" {
    for file in "$ROOT"/data/edge/odd_*.bin; do
        run -2 --separate-stderr gsort "$file" -o out
        assert_trouble "$file" "$(wc -c <"$file")"
        [ ! -e out ]
    done
}

@test "the edge files are what data/README.md says" {
    [ "$(decimal "$ROOT/data/edge/min_max.bin" | xargs)" = "4294967295 0" ]
    [ "$(decimal "$ROOT/data/edge/byte_order.bin" | xargs)" = \
        "1 256 65536 16777216 16777215 65535 255 0" ]
    [ "$(decimal "$ROOT/data/edge/powers.bin" | wc -l)" -eq 32 ]
}
