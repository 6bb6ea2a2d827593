# A shared-memory engine takes as many keys as it says, and refuses one more in one line.
# SPDX-License-Identifier: MIT

load helper

# The limit, from the words of the refusal.
limit_of()
{
    local engine=$1
    keygen uniform 100000 >many
    run -2 --separate-stderr gsort --engine="$engine" many -o out
    assert_trouble "$engine" keys samplesort
    [[ $stderr =~ at\ most\ ([0-9]+)\ keys ]]
    LIMIT=${BASH_REMATCH[1]}
    assert_only many
    rm many
}

@test "the capacity, and a few keys less, with few lists and with many" {
    for engine in atomicmin reduction hybrid; do
        limit_of $engine
        for by in 0 1 31 255; do
            keygen uniform $((LIMIT - by)) >in
            assert_sorts "+--engine=$engine" in
            assert_sorts "+--engine=$engine" "+--lists=$((1 << by % 9))" in
        done
        rm -f in got.out wanted.out
    done
}

@test "one key more is refused, and the output that was there stays" {
    for engine in atomicmin reduction hybrid; do
        limit_of $engine
        keygen uniform $((LIMIT + 1)) >in
        echo old >out
        run -2 --separate-stderr gsort --engine=$engine in -o out
        assert_trouble "$engine" "$LIMIT" samplesort
        [ "$(cat out)" = old ]
        assert_only in out
        run -2 --separate-stderr gsort --engine=$engine <in
        assert_trouble "$engine" "$LIMIT" samplesort
        rm in out
    done
}

@test "several files count together" {
    limit_of hybrid
    keygen uniform $((LIMIT / 2 + 1)) >in
    run -2 --separate-stderr gsort --engine=hybrid in in -o out
    assert_trouble hybrid "$LIMIT"
    assert_only in
}

@test "a pipe that never ends is refused as soon as it is too long" {
    run -2 --separate-stderr gsort --engine=atomicmin < <(yes 2>/dev/null)
    assert_trouble atomicmin samplesort
}

@test "the CPU's capacity is that of the largest GPU's block" {
    keygen uniform 38656 >in
    reference in >wanted
    "$GSORT" --device=cpu --engine=hybrid in -o out
    assert_same wanted out
    keygen uniform 38657 >in
    run -2 --separate-stderr "$GSORT" --device=cpu --engine=hybrid in -o out
    assert_trouble 38656
}
