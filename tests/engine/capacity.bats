# A shared-memory engine sorts as many keys as it says, and refuses one more in one line.
# SPDX-License-Identifier: MIT

load ../helper

# limit_of ENGINE: set LIMIT to the number of keys in the message by which the engine refuses more.
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

@test "an engine sorts its capacity, and a few keys less, with few and many lists" {
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

@test "one key more is refused, and the old output stays" {
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

@test "several files count together for the capacity" {
    limit_of hybrid
    keygen uniform $((LIMIT / 2 + 1)) >in
    run -2 --separate-stderr gsort --engine=hybrid in in -o out
    assert_trouble hybrid "$LIMIT"
    assert_only in
}

@test "an endless pipe is refused as soon as it is too long" {
    run -2 --separate-stderr gsort --engine=atomicmin </dev/zero
    assert_trouble atomicmin samplesort
}

@test "on the CPU, the capacity is 38656 keys, that of a block on the largest GPU" {
    keygen uniform 38656 >in
    reference in >wanted
    "$GSORT" --device=cpu --engine=hybrid in -o out
    assert_same wanted out
    keygen uniform 38657 >in
    run -2 --separate-stderr "$GSORT" --device=cpu --engine=hybrid in -o out
    assert_trouble 38656
}
