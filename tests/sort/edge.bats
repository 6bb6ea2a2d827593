# The edge-case files in data/edge/ are sorted; those of odd length are refused.
# SPDX-License-Identifier: MIT

load ../helper

@test "every edge file, with -r and -u" {
    local count=0
    for file in "$ROOT"/data/edge/*.bin; do
        case $file in
        */odd_*) continue ;;
        esac
        # With --device=gpu: each file once, the options in turn.
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

@test "edge files contain what data/README.md says" {
    [ "$(decimal "$ROOT/data/edge/min_max.bin" | xargs)" = "4294967295 0" ]
    [ "$(decimal "$ROOT/data/edge/byte_order.bin" | xargs)" = \
        "1 256 65536 16777216 16777215 65535 255 0" ]
    [ "$(decimal "$ROOT/data/edge/powers.bin" | wc -l)" -eq 32 ]
}
