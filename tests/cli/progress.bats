# --progress prints a throttled line if standard error is a terminal, or if told to.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 3000000 >in
    reference in >wanted
}

@test "no progress line if standard error is not a terminal" {
    run -0 --separate-stderr gsort in -o out
    [ -z "$stderr" ]
    run -0 --separate-stderr gsort --progress=auto in -o out
    [ -z "$stderr" ]
    run -0 --separate-stderr gsort --progress=never in -o out
    [ -z "$stderr" ]
}

@test "off a terminal, --progress=always prints whole lines without control characters" {
    gsort --progress=always in -o out 2>lines
    assert_same wanted out
    [ -s lines ]
    run ! grep -aEv '^gsort: [[:print:]]+$' lines
    time='[0-9]+:[0-9][0-9]'
    tail -n 1 lines |
        grep -Ex "gsort: [0-9]+ %, $time elapsed, (-:--|$time) left \\([a-z ]+, [0-9.]+ Mkeys/s\\)"
}

@test "on a terminal, --progress=always prints a percentage, which is erased at the end" {
    require_terminal
    script -q -e -f -c '"$GSORT" --progress=always -t u32 in -o out' typed </dev/null >/dev/null
    grep -aq '%, [0-9:]* elapsed, ' typed
    sed '/^Script/d' typed | tail -c 4 | grep -aq $'\e\\[K'
}

@test "--progress alone is --progress=always" {
    run -0 --separate-stderr gsort --progress in -o out
    [[ $stderr == *%* ]]
}

@test "on a terminal, a long run has a progress line, which is erased at the end" {
    require_terminal
    # The pipe stays open until the line has been seen, for 30 s at most.
    # shellcheck disable=SC2094  # script writes typed, the command only looks for the line in it
    script -q -e -f -c '{
        cat in
        i=0
        until [ $((i += 1)) -gt 600 ] || grep -aq Mkeys/s typed; do
            sleep 0.05
        done
    } | "$GSORT" -t u32 -o out' typed </dev/null >/dev/null
    grep -aq Mkeys/s typed
    sed '/^Script/d' typed | tail -c 4 | grep -aq $'\e\\[K'
    assert_same wanted out
}

@test "on a terminal, a short run has no progress line" {
    require_terminal
    local begin took i
    head -c 4000 in >few
    # On a busy machine a run may take longer than the half second, for which the line waits.
    for ((i = 0; i < 100; i++)); do
        begin=${EPOCHREALTIME/./}
        script -q -e -c '"$GSORT" -t u32 few -o out' typed </dev/null >/dev/null
        took=$((${EPOCHREALTIME/./} - begin))
        [ "$took" -ge 500000 ] || break
    done
    [ "$took" -lt 500000 ] || skip "no run was short"
    run ! grep -aq gsort: typed
}

@test "on a terminal, a background run has no progress line" {
    require_terminal
    script -q -e -c 'set -m; { sleep 1.5; cat in; } | "$GSORT" -o out & wait' typed \
        </dev/null >/dev/null
    assert_same wanted out
    run ! grep -aq gsort: typed
}

@test "--progress=never prints no progress line on a terminal" {
    require_terminal
    script -q -e -c '"$GSORT" --progress=never in -o out' typed </dev/null >/dev/null
    run ! grep -q % typed
}

@test "progress of a pipe, whose length is not known" {
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | gsort --progress=always >got 2>line
    assert_same wanted got
}

@test "if the reader of the progress line goes away, only the line is lost" {
    mkfifo line
    exec 4<>line
    exec 5>line 4<&-
    env --default-signal=PIPE "$GSORT" --progress=always in -o out 2>&5
    assert_same wanted out
}

@test "an error message has a line of its own" {
    run -2 --separate-stderr gsort --progress=always no-such-file -o out
    [[ ${stderr_lines[-1]} == *"gsort: no-such-file: "* ]]
}

@test "a signal that ends the run leaves whole lines" {
    mkfifo fifo
    exec 7<>fifo
    start --progress=always -o out <fifo 2>err 7>&-
    wait_for test -s err
    kill -s TERM "$GSORT_PID"
    wait "$GSORT_PID" || true
    GSORT_PID=
    exec 7>&-
    run ! grep -aEv '^gsort: [[:print:]]+$' err
}

@test "a signal ends the run while the progress line cannot be written" {
    mkfifo fifo line
    exec 7<>fifo 8<>line
    head -c 65536 /dev/zero >&8 # now it is full
    start --progress=always -o out <fifo 2>&8 7>&-
    wait_for has_begun
    sleep 0.3 # gsort waits to write its progress line
    kill -s TERM "$GSORT_PID"
    local status=0
    wait_for has_ended
    wait "$GSORT_PID" || status=$?
    GSORT_PID=
    exec 7>&- 8>&-
    [ "$status" -eq 143 ]
}

@test "the disorder that a check finds has a line of its own" {
    run -1 --separate-stderr gsort --progress=always -c in
    [[ ${stderr_lines[-1]} == "gsort: in:"+([0-9])": disorder: "+([0-9])" after "+([0-9]) ]]
}

@test "to a file, progress is written at most once in ten seconds, and at the end" {
    local start=$SECONDS
    { cat in && sleep 1.5; } | gsort --progress=always -o out 2>line
    assert_same wanted out
    [ "$(wc -l <line)" -ge 2 ]
    [ "$(wc -l <line)" -le $(((SECONDS - start) / 10 + 2)) ]
}

# whole_line FILE REGEX: the match begins a line of the file, not counting erased text before it.
whole_line()
{
    sed 's/.*\x1b\[K//' "$1" | grep -aq "^$2"
}

@test "statistics begin on a new line" {
    gsort --progress=always --stats in -o out 2>text
    whole_line text 'total  *[0-9]'
    gsort --progress=always --stats=json in -o out 2>text
    whole_line text '{$'
}

has_lines()
{
    [ "$(wc -l <"$1")" -ge "$2" ]
}

@test "the answer to SIGUSR1 has a line of its own" {
    mkfifo fifo
    exec 7<>fifo
    start --progress=always -o out <fifo 2>err 7>&-
    keys 1 2 3 >&7
    wait_for grep -aq 'read: ' err
    kill -s USR1 "$GSORT_PID"
    wait_for has_lines err 2
    exec 7>&-
    wait "$GSORT_PID"
    GSORT_PID=
    whole_line err 'gsort: read: [0-9]* keys, [0-9.]* Mkeys/s, [0-9:]* elapsed$'
}

# lines_shown FILE: what was shown between two erased or ended lines, one a line.
lines_shown()
{
    sed 's/\r\x1b\[K/\n/g; s/\r$//' "$1"
}

@test "the line is cut to the width that the terminal has, which may change" {
    require_terminal
    mkfifo fifo
    cat >job <<'END'
        stty cols 20
        exec 7<>fifo
        timeout 60 "$GSORT" --progress=always -t u32 -o out <fifo 7>&- &
        shown() {
            i=0
            until [ $((i += 1)) -gt 600 ] || grep -aq "$1" typed; do sleep 0.05; done
        }
        shown "Kgsort: read: 0 key"
        stty cols 10
        shown "Kgsort: re..\[K"
        exec 7>&-
        wait
END
    script -q -e -f -c 'bash job' typed </dev/null >/dev/null
    sed 's/\r\x1b\[K/\n/g' typed | tr -d '\r' >lines
    grep -x 'gsort: read: 0 keys' lines # 19 columns
    grep -x 'gsort: re' lines
    run ! grep -E '^gsort: .{13}' lines
}

@test "a run that was stopped and goes on in the background leaves the terminal alone" {
    require_terminal
    mkfifo fifo
    cat >job <<'END'
        set -m
        exec 7<>fifo
        bash -c 'i=0; until [ $((i += 1)) -gt 600 ] || grep -aq Mkeys/s typed; do sleep 0.05; done
                 kill -STOP "$(pgrep -x -f "$GSORT -o stopped")"' 7>&- &
        "$GSORT" -o stopped <fifo 7>&-
        bg
        sleep 0.3
        echo PROMPT
        cat in >&7
        exec 7>&-
        wait
END
    timeout 60 script -q -e -f -c 'bash job' typed </dev/null >/dev/null
    assert_same wanted stopped
    grep -aq Mkeys/s typed
    sed -n '/PROMPT/,$p' typed >later
    grep -aq PROMPT later
    run ! grep -aq $'\e' later
}
