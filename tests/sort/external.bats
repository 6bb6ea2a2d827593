# Inputs larger than -S are sorted through temporary files, whatever their distribution.
# SPDX-License-Identifier: MIT

load ../helper

# gsort needs about 2.7 MB of memory at least; these inputs are several times larger.
KEYS=2000017

# assert_external [OPTION...] FILE: the output is right from file to file and from pipe to pipe, and
# --stats says that the sort went through temporary files, or, where -u leaves little of the input,
# was one of chunks.
assert_external()
{
    local -a options=()
    local from
    while [[ $1 = -* ]]; do
        options+=("$1")
        shift
    done
    reference "${options[@]}" "$1" >wanted || return
    # With --device=gpu: each input once, file and pipe in turn.
    take_turns file pipe
    for from in "${TURNS[@]}"; do
        if [ "$from" = file ]; then
            gsort "${options[@]}" -S 1M -T . --verify --stats "$1" -o got 2>stats || return
        else
            # shellcheck disable=SC2002  # a pipe is what is tested
            cat "$1" | gsort "${options[@]}" -S 1M -T . --verify --stats 2>stats >got || return
        fi
        assert_same wanted got || return
        grep -Eq 'through temporary files|combined first' stats || return
    done
}

@test "external sorts of various distributions" {
    for name in uniform zipf few narrow two-clusters nearly-sorted organ-pipe all-but-one; do
        keygen "$name" "$KEYS" >in
        assert_external in || {
            echo "by: $name" >&2
            return 1
        }
    done
}

@test "sorted and reversed pipes, whose first part tells nothing about the rest" {
    for name in sorted reversed; do
        keygen "$name" "$KEYS" >in
        assert_external in
        assert_external -r in
    done
}

@test "external sorts with -r, -u and both" {
    for name in zipf narrow; do
        keygen "$name" "$KEYS" >in
        for options in -r -u -ru; do
            assert_external "$options" in
        done
    done
}

@test "one value, two values, the largest key: counted, not written to temporary files" {
    keygen equal "$KEYS" >in
    assert_external in
    [ "$(awk '$1 == "temporary" { print $2 }' stats)" -lt 100 ]
    { keygen equal "$KEYS" && keys 1 2 3 4294967295; } >mixed
    assert_external -u mixed
    keygen max-keys "$KEYS" >in
    assert_external in
    head -c $((KEYS * 4)) /dev/zero >zero
    cat zero in >in2
    assert_external -r in2
}

@test "a pipe of one value first, then of keys in between two others" {
    keygen sorted "$KEYS" >ascending
    { head -c 4000000 /dev/zero && head -c 6000000 ascending && keygen narrow 1000000; } >in
    assert_external in
    assert_external -ru in
    # The rest of the pipe falls into one bin of a few values, which are even and odd neighbours.
    { keygen uniform 400000 && keygen all-but-one 1500000; } >in
    assert_external in
}

@test "an external sort of several files and pipes" {
    keygen uniform 1000001 >a
    keygen zipf 500003 >b
    keygen few 2000003 >c
    : >empty
    reference a b c empty >wanted
    gsort -S 1M a b c empty -o got
    assert_same wanted got
    gsort -S 1M empty a <(cat b) empty <(cat c) -o got
    assert_same wanted got
    gsort -S 1M --verify <(cat c) b - <a >got
    assert_same wanted got
    gsort -S 1M <(cat a) <(cat empty) <(cat b) <(cat c) -o got
    assert_same wanted got
}

@test "an external sort of a pipe in pieces that cut keys" {
    require python3
    keygen uniform 900001 >in
    reference in >wanted
    python3 -c '
import sys
data = open("in", "rb").read()
step = 4095 + 2 * (len(data) % 2)
out = open(sys.stdout.fileno(), "wb", buffering=0)
for at in range(0, len(data), step):
    out.write(data[at:at + step])' | gsort -S 1M -o got
    assert_same wanted got
}

@test "an external sort refuses a pipe with an incomplete last key at its end" {
    keygen uniform 1000001 >in
    printf abc >>in
    run -2 --separate-stderr bash -c 'cat in | gsort -S 1M -o out'
    assert_trouble "not a multiple of 4" 4000007
    assert_only in
}
