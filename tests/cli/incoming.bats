# Keys of a pipe are distributed to bins while it is read, with the same output as from a file.
# SPDX-License-Identifier: MIT

load ../helper

# More than the 32 MiB (GS_INCOMING_KEYS) from which on this is done, in keys of 4 bytes and of 8;
# the CPU sorts the rest.
KEYS=9000001
WIDE_KEYS=4500001

# Like cat, but with a pause before the end, in which other threads can work.
trickle()
{
    head -c 35000000 "$1"
    sleep 0.3
    tail -c +35000001 "$1"
}

# row FILE STAGE: print begin and end of a stage in --stats, in whole ms.
row()
{
    awk -v stage="$2" 'index($0, stage) == 1 { print int($(NF - 1)), int($NF) }' "$1"
}

setup_file()
{
    keygen uniform "$KEYS" >"$BATS_FILE_TMPDIR/in"
    reference "$BATS_FILE_TMPDIR/in" >"$BATS_FILE_TMPDIR/wanted"
}

# take_uniform: have KEYS uniform keys as `in`, and as `wanted` in order.
take_uniform()
{
    ln -s "$BATS_FILE_TMPDIR"/{in,wanted} .
}

setup()
{
    enter_directory
    [ "$(nproc)" -ge 2 ] || skip 'one processor has nothing to do it with'
}

@test "counting begins before reading has ended" {
    take_uniform
    trickle in | "$GSORT" --device=cpu --parallel=2 --stats 2>stats | cmp - wanted
    read -r _ end < <(row stats 'read ')
    read -r begin _ < <(row stats 'count bins')
    [ "$begin" -lt "$end" ] || {
        cat stats >&2
        return 1
    }
}

@test "a slow pipe with -r, -u and --verify" {
    keygen zipf "$KEYS" >in
    reference -r -u in >wanted
    trickle in | "$GSORT" --device=cpu --parallel=2 -r -u --verify -o got
    assert_same wanted got
}

@test "the first keys are distributed unlike the rest" {
    keygen narrow "$KEYS" >in
    keygen uniform 1M >>in
    reference in >wanted
    trickle in | "$GSORT" --device=cpu --parallel=3 >got
    assert_same wanted got
}

@test "a slow pipe, sorted by two threads while the output's pages are made" {
    take_uniform
    trickle in | "$GSORT" --device=cpu --parallel=2 -o got
    assert_same wanted got
}

@test "concatenated sorted files are merged, not distributed" {
    keygen sorted 5M >in
    cat in in >both
    reference both >wanted
    trickle both | "$GSORT" --device=cpu --parallel=2 --stats 2>stats >got
    assert_same wanted got
    read -r _ end < <(row stats 'read ')
    run ! grep -q '^count bins' stats
    read -r begin _ < <(row stats 'sort bins')
    [ "$begin" -ge "$end" ]
}

@test "a pipe larger than -S continues in temporary files" {
    take_uniform
    rm wanted
    cat in in >twice
    reference twice >wanted
    trickle twice | "$GSORT" --device=cpu --parallel=2 -S 64M -T . --stats -o got 2>stats
    assert_same wanted got
    grep -q 'through temporary files' stats
}

@test "counting begins before reading has ended where doubles are decoded" {
    keygen --type=f64 --specials uniform "$WIDE_KEYS" >in
    reference -t f64 in >wanted
    trickle in | "$GSORT" --device=cpu --parallel=2 -t f64 --stats 2>stats | cmp - wanted
    read -r _ end < <(row stats 'read ')
    read -r begin _ < <(row stats 'count bins')
    [ "$begin" -lt "$end" ] || {
        cat stats >&2
        return 1
    }
}

@test "a slow pipe of big-endian integers, in memory and larger than -S" {
    keygen --type=i64be uniform "$WIDE_KEYS" >in
    cat in in >twice
    take_few i64be i32be
    for type in "${TURNS[@]}"; do
        reference -t "$type" -r -u in >wanted
        trickle in | "$GSORT" --device=cpu --parallel=2 -t "$type" -r -u --verify -o got
        assert_same wanted got
        trickle twice | "$GSORT" --device=cpu --parallel=2 -t "$type" -r -u -S 64M -T . --verify \
            --stats -o got 2>stats
        assert_same wanted got
        grep -q 'through temporary files' stats
    done
}

@test "a slow pipe of records with a payload, one of each key" {
    keygen --type=u16 --record=8 uniform "$WIDE_KEYS" >in
    reference -R 8 -k 0:u16 -u in >wanted
    trickle in | "$GSORT" --device=cpu --parallel=2 -R 8 -k 0:u16 -u --verify -o got
    assert_same wanted got
}

@test "an input that ends inside a key is refused" {
    { cat "$BATS_FILE_TMPDIR/in" && printf x; } >in
    run -2 --separate-stderr "$GSORT" --device=cpu -o got < <(trickle in)
    # shellcheck disable=SC2154  # bats sets it
    [[ $stderr == 'gsort: -: '* ]]
    [ ! -e got ]
}
