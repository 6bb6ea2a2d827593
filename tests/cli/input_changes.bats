# An input that changes during the run gives an error or the sorted keys as read, never a crash.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    mkdir dir
}

# Also after a failure: the writer ends when this file is gone.
teardown()
{
    rm -f go
    [ -z "${GSORT_PID:-}" ] || kill -KILL "$GSORT_PID" 2>/dev/null || true
}

# with_a_change COMMAND...: run it when gsort has mapped `in` and waits for a FIFO.
with_a_change()
{
    mkfifo fifo
    exec 7<>fifo
    start in fifo -o dir/out 2>err 7>&-
    keys 5 >&7
    wait_for has_open fifo
    "$@"
    exec 7>&-
    wait "$GSORT_PID"
    GSORT_PID=
    [ ! -s err ]
    [ "$(ls -A dir)" = out ]
}

@test "an input that grows: its keys at the start are sorted" {
    keygen uniform 300007 >in
    keys 5 >five
    reference in five >wanted
    grow() { keygen uniform 100003 --seed=2 >>in; }
    with_a_change grow
    assert_same wanted dir/out
}

@test "an input whose name goes to another file: the file opened is sorted" {
    keygen uniform 300007 >in
    keys 5 >five
    reference in five >wanted
    exchange() { keygen uniform 1000 >new && mv new in; }
    with_a_change exchange
    assert_same wanted dir/out
}

@test "an input whose name is removed is sorted" {
    keygen uniform 300007 >in
    keys 5 >five
    reference in five >wanted
    with_a_change rm in
    assert_same wanted dir/out
}

# What the records are, for gsort and the reference.
records=()

# rewritten RUNS OPTION...: sort an input that another process keeps overwriting with a and b in
# turn. The output must be in order and have as many keys as the input; or gsort must report the
# change (in a merge, as a disorder).
rewritten()
{
    local i status sorted=0 writer runs=$1
    shift
    cp a in
    : >go
    while [ -e go ]; do
        dd if=b of=in bs=64k conv=notrunc status=none
        dd if=a of=in bs=64k conv=notrunc status=none
    done 3>&- &
    writer=$!
    for ((i = 0; i < runs; i++)); do
        echo old >dir/out
        status=0
        gsort "${records[@]}" "$@" in -o dir/out 2>err || status=$?
        [ "$(ls -A dir)" = out ]
        if [ "$status" -eq 0 ]; then
            [ "$(wc -c <dir/out)" -eq "$(wc -c <a)" ] || [[ " ${records[*]} " == *" -u "* ]]
            reference "${records[@]}" dir/out >wanted
            assert_same wanted dir/out
            sorted=$((sorted + 1))
        else
            [ "$status" -eq 2 ]
            [ "$(wc -l <err)" -eq 1 ]
            grep -Eq 'changed|verify|disorder' err
            [ "$(cat dir/out)" = old ]
        fi
    done
    rm go
    wait "$writer"
    echo "sorted: $sorted of $runs"
}

@test "an input that is rewritten all the time" {
    keygen uniform 700001 >a
    keygen zipf 700001 >b
    rewritten "$(repeats 15)"
}

@test "an input that is rewritten all the time, so large that each key is read once" {
    keygen uniform 2500003 >a
    keygen zipf 2500003 >b
    rewritten "$(repeats 10)"
}

@test "an input that is rewritten all the time, with --verify" {
    keygen uniform 700001 >a
    keygen exponential 700001 >b
    rewritten "$(repeats 15)" --verify
}

@test "an input that is rewritten all the time, sorted through temporary files" {
    keygen uniform 700003 >a
    keygen zipf 700003 >b
    rewritten "$(repeats 15)" -S 1M
    rewritten "$(repeats 15)" -S 1M --verify
}

@test "an input that is rewritten all the time, merged" {
    keygen uniform 700001 | gsort >a
    keygen zipf 700001 | gsort >b
    rewritten "$(repeats 15)" -m
    rewritten "$(repeats 15)" -m --verify
}

# Records that are fetched by their tags are read twice: what comes out must be in order all the
# same, or a change reported.
@test "records that are rewritten all the time" {
    export GSORT_DEVICE= # a GPU does not sort these
    local way
    keygen uniform 100003 --record=24 >a
    keygen zipf 100003 --record=24 --seed=2 >b
    for way in "-k 0:u64" "-k 0:u64r -k 8:u32 -u" "-k 0:b16 -r" "-k 0:u16 -s" "-k 3:f32 -s -u"; do
        read -ra records <<<"-R 24 $way"
        rewritten "$(repeats 6)"
        rewritten "$(repeats 3)" -S 2M -T .
    done
}

@test "short records in input order that are rewritten all the time" {
    export GSORT_DEVICE= # a GPU does not sort these
    records=(-R 4 -s -k 0:u16)
    keygen uniform 700001 >a
    keygen zipf 700001 >b
    rewritten "$(repeats 6)"
    rewritten "$(repeats 3)" -S 2M -T .
}

@test "records that are rewritten all the time, merged" {
    export GSORT_DEVICE= # a GPU does not sort these
    records=(-R 24 -k 0:u64)
    keygen uniform 100003 --record=24 | gsort "${records[@]}" >a
    keygen zipf 100003 --record=24 | gsort "${records[@]}" >b
    rewritten "$(repeats 10)" -m
}
