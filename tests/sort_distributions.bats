# Every distribution sorts right: ascending, descending, unique and both.
# SPDX-License-Identifier: MIT

load helper

# all_ways OPTION...: every distribution of keygen, N keys, sorted with these options.
all_ways()
{
    local dist dists
    dists=$(keygen --list | cut -d' ' -f1)
    [ "$(wc -w <<<"$dists")" -ge 20 ]
    for dist in $dists; do
        keygen "$dist" 300007 >in
        assert_sorts "$@" in || {
            echo "distribution: $dist" >&2
            return 1
        }
    done
}

@test "ascending" {
    all_ways
}

@test "-r" {
    all_ways -r
}

@test "-u" {
    all_ways -u
}

@test "-r -u" {
    all_ways -r -u
}
