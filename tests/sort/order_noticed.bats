# Inputs that are sorted or reversed, or only look like it, are sorted.
# SPDX-License-Identifier: MIT

load ../helper

@test "sorted except for one pair, at the start, in the middle or at the end" {
    keygen sorted 400000 >ascending
    for at in 0 1 65535 65536 131071 200000 399998; do
        {
            head -c $((4 * at)) ascending
            dd if=ascending bs=4 skip=$((at + 1)) count=1 status=none
            dd if=ascending bs=4 skip="$at" count=1 status=none
            tail -c +$((4 * at + 9)) ascending
        } >in
        [ "$(wc -c <in)" -eq 1600000 ]
        gsort in -o got
        assert_same ascending got
        gsort -r in | gsort | cmp - ascending
    done
}

@test "reversed with runs of equal keys" {
    # shellcheck disable=SC2046  # words are wanted
    keys $(seq 300 -1 1 | awk '{ for (i = 0; i < 30; i++) print }') >in
    [ "$(wc -c <in)" -eq 36000 ]
    assert_sorts in
    assert_sorts -r in
    assert_sorts -u in
    assert_sorts -r -u in
}

@test "two sorted files, in both orders" {
    keygen sorted 100000 >a
    keygen sorted 150001 >b
    assert_sorts a b
    assert_sorts b a
    assert_sorts -r a b
}

@test "a sorted file, and one that continues where it ends" {
    keys 1 2 3 >a
    keys 3 4 5 >b
    assert_sorts a b
    assert_sorts -u a b
    assert_sorts -r b a
    assert_sorts b a
}

@test "reversed input from a file and from a pipe" {
    keygen reversed 500001 >in
    assert_sorts in
    assert_sorts -r in
    reference in >wanted
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | gsort >got
    assert_same wanted got
}
