# Each rank keeps its memory below -S, through temporary files, and gets its share of the keys.
# SPDX-License-Identifier: MIT

load ranks

setup()
{
    enter_ranks
}

@test "what comes for a rank goes through temporary files where -S has no room for it" {
    keygen uniform 8M >in
    reference in >wanted
    mkdir temporary
    for option in "" -r -u; do
        "$GSORT" $option in -o wanted
        ranks 3 $option -S 4M -T temporary --verify in -o out
        assert_same wanted out
        [ -z "$(ls -A temporary)" ]
    done
}

@test "no rank gets more than 1.1 of its share, whatever the keys" {
    for distribution in uniform sorted equal few zipf; do
        keygen "$distribution" 2M >in
        run --separate-stderr ranks 4 --stats=json in -o out
        [ "$status" -eq 0 ]
        most=$(grep -o '"keys_out": [0-9]*' <<<"$stderr" | head -n 4 | grep -o '[0-9]*$' |
            sort -n | tail -n 1)
        echo "$distribution: $most of $((2 << 20)) keys" >&2
        [ "$most" -le $(((2 << 20) * 110 / 400)) ]
    done
}
