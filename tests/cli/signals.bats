# Signals end gsort like any other program, in every phase, after it has cleaned up.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    mkdir dir
    echo old >dir/out
    ulimit -c 0
}

# died_of SIGNAL: the gsort in the background was ended by this signal and left nothing behind.
died_of()
{
    local status=0
    wait "$GSORT_PID" || status=$?
    GSORT_PID=
    [ "$status" -eq $((128 + $(kill -l "$1"))) ] || {
        echo "SIG$1: status $status" >&2
        return 1
    }
    [ "$(cat dir/out)" = old ]
    [ "$(ls -A dir)" = out ]
    [ ! -s err ] || {
        echo "SIG$1: on standard error: $(cat err)" >&2
        return 1
    }
}

# gsort's main thread is asleep (the pipe is empty, or full).
asleep()
{
    has_begun && [[ $(cut -d' ' -f3 "/proc/$GSORT_PID/stat" 2>/dev/null) == S ]]
}

@test "a signal while gsort waits for the first byte of a pipe" {
    mkfifo fifo
    for signal in TERM INT HUP QUIT USR2 PWR STKFLT RTMIN; do
        exec 7<>fifo
        start -o dir/out <fifo 2>err
        wait_for asleep
        kill -s "$signal" "$GSORT_PID"
        died_of "$signal"
        exec 7>&-
    done
}

@test "a signal to gsort as the first process of a container" {
    require unshare
    unshare -p -f true 2>/dev/null || skip "no namespaces here"
    mkfifo fifo
    exec 7<>fifo
    env --default-signal unshare -p -f --kill-child "$GSORT" -o dir/out <fifo 2>err 3>&- 7>&- &
    local outside=$! status=0
    wait_for pgrep -P "$outside" >pid
    GSORT_PID=$(<pid)
    wait_for asleep
    kill -s TERM "$GSORT_PID"
    wait_for eval '! kill -0 "$GSORT_PID" 2>/dev/null'
    GSORT_PID=
    exec 7>&-
    wait "$outside" || status=$?
    [ "$status" -eq 143 ]
    [ "$(cat dir/out)" = old ]
    [ "$(ls -A dir)" = out ]
}

@test "a signal in the middle of a pipe" {
    mkfifo fifo
    keygen uniform 500000 >some
    for signal in TERM INT HUP QUIT; do
        exec 7<>fifo
        start -o dir/out <fifo 2>err
        cat some >&7
        wait_for asleep
        kill -s "$signal" "$GSORT_PID"
        died_of "$signal"
        exec 7>&-
    done
}

@test "a signal while gsort writes to a pipe that nobody reads" {
    mkfifo fifo
    keygen uniform 3000000 >in
    for signal in TERM INT HUP QUIT; do
        exec 7<>fifo
        start in -o fifo 2>err
        sleep 0.4
        wait_for asleep
        kill -s "$signal" "$GSORT_PID"
        died_of "$signal"
        exec 7>&-
    done
}

# Signals at moments spread over a whole run. Whenever one comes, the output is the old file or the
# complete new one, and nothing else is there.
@test "signals at 25 moments of a run, including sorting and writing" {
    keygen uniform 6000000 >in
    reference in >wanted
    local took status killed=0
    took=$(time_best in -o dir/out)
    local signals=(TERM INT HUP)
    for ((i = 0; i < 25; i++)); do
        echo old >dir/out
        signal=${signals[i % 3]}
        start in -o dir/out 2>err
        sleep "$(printf '0.%06d' $((took * i / 25)))"
        kill -s "$signal" "$GSORT_PID" 2>/dev/null || true
        status=0
        wait "$GSORT_PID" || status=$?
        GSORT_PID=
        [ "$(ls -A dir)" = out ] || {
            echo "left behind: $(ls -A dir)" >&2
            return 1
        }
        if [ "$status" -eq 0 ]; then
            assert_same wanted dir/out
        else
            [ "$status" -eq $((128 + $(kill -l "$signal"))) ]
            [ "$(cat dir/out)" = old ] || assert_same wanted dir/out
            [ ! -s err ] || {
                echo "said on the way: $(cat err)" >&2
                return 1
            }
            killed=$((killed + 1))
        fi
    done
    [ "$killed" -ge 2 ]
}

@test "a signal during a check of a pipe" {
    mkfifo fifo
    exec 7<>fifo
    start -c fifo 2>err
    wait_for asleep
    kill -s TERM "$GSORT_PID"
    died_of TERM
}

@test "a signal while standard output is a file does not change the input" {
    keygen uniform 3000000 >in
    cp in in.old
    start in >got 2>err
    sleep 0.01
    kill -s INT "$GSORT_PID" 2>/dev/null || true # gsort may have ended already
    wait "$GSORT_PID" || [ $? -eq 130 ]
    GSORT_PID=
    assert_same in.old in
}
