# Any number of keys may be 0xFFFFFFFF or 0, which are keys like any other.
# SPDX-License-Identifier: MIT

load ../helper

@test "only the largest key, or only zeros, in sizes that leave odd padding" {
    for n in 1 2 3 5 15 17 31 33 63 65 255 257 1023 1025 65537 200001; do
        for byte in '\377' '\000'; do
            head -c $((4 * n)) /dev/zero | tr '\000' "$byte" >in
            # With --device=gpu: each size once, the options in turn.
            take_turns "" -u
            for options in "${TURNS[@]}"; do
                assert_sorts ${options:+"$options"} in
            done
        done
    done
}

@test "one zero anywhere among largest keys" {
    for at in 0 1 7 8 15 16 29 30; do
        # shellcheck disable=SC2046  # words are wanted
        keys $(for ((i = 0; i < 31; i++)); do echo $((i == at ? 0 : 4294967295)); done) >in
        # With --device=gpu: each place once, the options in turn.
        take_turns "" -r
        for options in "${TURNS[@]}"; do
            assert_sorts ${options:+"$options"} in
        done
    done
}

@test "half of 500,001 keys are the largest key" {
    keygen max-keys 500001 >in
    assert_sorts in
    assert_sorts -u in
    assert_sorts -r in
}
