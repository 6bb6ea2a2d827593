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

# assert_even COUNT ARG...: none of 4 ranks that sort ./in gets more than 1.1 of its share of the
# records, COUNT in all.
assert_even()
{
    local count=$1 most
    shift
    run --separate-stderr ranks 4 --stats=json "$@" in -o out
    [ "$status" -eq 0 ]
    most=$(grep -o '"keys_out": [0-9]*' <<<"$stderr" | head -n 4 | grep -o '[0-9]*$' |
        sort -n | tail -n 1)
    echo "$*: $most of $count records" >&2
    [ "$most" -le $((count * 110 / 400)) ]
}

@test "the same for records, whatever their keys" {
    for distribution in sorted reversed equal zero-one few zipf uniform; do
        keygen --record=20 "$distribution" 100000 >in
        assert_even 100000 -R 20 -k 0:u32
        assert_even 100000 -R 20 -k 0:u32 -s
    done
    keygen equal 500000 >in # not only the keys
    assert_even 100000 -R 20 -k 0:u32
    printf '\1\2\3\4' | dd of=in bs=4 seek=333333 conv=notrunc status=none
    assert_even 100000 -R 20 -k 0:u32 -r
    keygen paths 100000 >in
    assert_even 100000 -R 96 -k 0:b88
    keygen gray 100000 >in
    assert_even 100000 -R 100 -k 0:b10
    keygen --record=20 zero-one 2M >in # more than the samples
    assert_even $((2 << 20)) -R 20 -k 0:u32
}

@test "-u: records that will not stay are not sent" {
    keygen --record=20 zero-one 400000 >in
    run --separate-stderr ranks 4 --stats=json -u -R 20 -k 0:u32 in -o out
    [ "$status" -eq 0 ]
    [ "$(stat -c %s out)" -eq 40 ]
    sent=$(grep -o '"sent_bytes": [0-9]*' <<<"$stderr" | tail -n 1 | grep -o '[0-9]*$')
    echo "sent: $sent bytes" >&2
    [ "$sent" -lt 100000 ]
}
