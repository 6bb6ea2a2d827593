# SIGUSR1 makes gsort print one line on standard error at any time, and the run goes on.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    mkfifo fifo
}

# gsort has passed its start-up code: its main thread blocks SIGUSR1 (number 10).
is_ready()
{
    grep -Eq '^SigBlk:.*[2367abef]..$' "/proc/$GSORT_PID/status"
}

has_two_lines()
{
    [ "$(wc -l <err)" -eq 2 ]
}

# Send one signal, then close the pipe, which ends the run: one line must have been printed.
ask_then_end()
{
    kill -s USR1 "$GSORT_PID"
    wait_for test -s err
    exec 7>&-
    wait "$GSORT_PID"
    GSORT_PID=
    [ "$(wc -l <err)" -eq 1 ]
}

@test "SIGUSR1 while a pipe is read" {
    keygen uniform 200003 >in
    reference in >wanted
    exec 7<>fifo
    start -o out <fifo 2>err 7>&-
    cat in >&7
    wait_for is_ready
    kill -s USR1 "$GSORT_PID"
    wait_for test -s err
    kill -s USR1 "$GSORT_PID"
    wait_for has_two_lines
    exec 7>&-
    wait "$GSORT_PID"
    GSORT_PID=
    assert_same wanted out
    [ "$(wc -l <err)" -eq 2 ]
    grep -q '^gsort: ' err
}

# Send a signal; succeeds once a line says that all keys have been read.
says_all()
{
    kill -s USR1 "$GSORT_PID"
    grep -q 'read: 1000003 keys' err
}

@test "SIGUSR1 while a merge reads a pipe, into memory and into a temporary file" {
    keygen uniform 1000003 | reference /dev/stdin >in
    for options in "-S 1G" "-S 1M"; do
        exec 7<>fifo
        # shellcheck disable=SC2086  # several options
        start -m $options -T . -o out <fifo 2>err 7>&-
        cat in >&7
        wait_for is_ready
        wait_for says_all
        exec 7>&-
        wait "$GSORT_PID"
        GSORT_PID=
        assert_same in out
    done
}

@test "SIGUSR1 before the first byte" {
    exec 7<>fifo
    start -o out <fifo 2>err 7>&-
    wait_for is_ready
    ask_then_end
}

@test "SIGUSR1 during a check of a pipe" {
    exec 7<>fifo
    start -c fifo 2>err 7>&-
    keys 1 2 3 >&7
    wait_for has_open fifo
    ask_then_end
}

@test "the rate is the average since the phase began, not since the last line" {
    keygen sorted 4000000 >in
    exec 7<>fifo
    start -c fifo 2>err 7>&-
    wait_for has_open fifo
    cat in >&7
    ask_then_end
    run ! grep ' 0\.0 Mkeys/s' err
}

# On a busy machine gsort may have ended before the test looks.
is_ready_or_over()
{
    is_ready 2>/dev/null || ! kill -0 "$GSORT_PID" 2>/dev/null
}

@test "a storm of SIGUSR1 throughout the run does not change the output" {
    keygen uniform 4000000 >in
    reference in >wanted
    start in -o out 2>err
    wait_for is_ready_or_over
    while kill -s USR1 "$GSORT_PID" 2>/dev/null; do
        sleep 0.001
    done
    wait "$GSORT_PID" || {
        echo "status $?" >&2
        return 1
    }
    GSORT_PID=
    assert_same wanted out
}

@test "percentage, rate and the time left agree" {
    keygen sorted 6000000 >in
    exec 8<>fifo
    start -m --parallel=1 in -o fifo 2>err 8>&-
    head -c 6000000 <&8 >/dev/null # a quarter; the pipe holds some more
    sleep 1.5
    kill -s USR1 "$GSORT_PID"
    wait_for test -s err
    kill -s TERM "$GSORT_PID"
    wait "$GSORT_PID" || true
    GSORT_PID=
    exec 8>&-
    grep -Eqx \
        'gsort: [0-9]+ %, 0:0[0-9] elapsed, [0-9]+:[0-5][0-9] left \(merge, [0-9.]+ Mkeys/s\)' err
    awk -F '[ :]+' '{
        percent = $2; rate = $11; left = $7 * 60 + $8
        wanted = 6 * (1 - percent / 100) / rate
        exit !(percent >= 20 && percent <= 35 && left >= 0.85 * wanted - 1 &&
               left <= 1.15 * wanted + 1)
    }' err || {
        cat err >&2
        return 1
    }
}
