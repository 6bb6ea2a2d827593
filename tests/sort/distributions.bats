# Every distribution is sorted: ascending, descending, unique, and unique descending.
# SPDX-License-Identifier: MIT

load ../helper

@test "every distribution, with -r and -u" {
    local dist dists options
    dists=$(keygen --list | cut -d' ' -f1)
    [ "$(wc -w <<<"$dists")" -ge 20 ]
    for dist in $dists; do
        keygen "$dist" 300007 >in
        # With --device=gpu: each distribution once, the options in turn.
        take_few "" -r -u "-r -u"
        for options in "${TURNS[@]}"; do
            # shellcheck disable=SC2086  # options are words
            assert_sorts $options in || {
                echo "distribution: $dist" >&2
                return 1
            }
        done
    done
}
