# A signal that is ignored when gsort starts stays ignored, as nohup requires.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    mkfifo fifo
    keygen uniform 100003 >in
    reference in >wanted
}

# survives SIGNAL COMMAND...: started by COMMAND, which ignores the signal, gsort gets it and sorts.
survives()
{
    local signal=$1
    shift
    exec 7<>fifo
    "$@" "$GSORT" -o out <fifo 2>err 3>&- 7>&- &
    GSORT_PID=$!
    cat in >&7
    wait_for has_begun
    kill -s "$signal" "$GSORT_PID"
    exec 7>&-
    wait "$GSORT_PID"
    GSORT_PID=
    assert_same wanted out
}

@test "nohup gsort survives SIGHUP" {
    survives HUP nohup
}

@test "SIGINT, SIGQUIT and SIGTERM stay ignored" {
    survives INT env --ignore-signal=INT
    survives QUIT env --ignore-signal=QUIT
    survives TERM env --ignore-signal=TERM
}

@test "an ignored SIGUSR1 prints no progress line" {
    survives USR1 env --ignore-signal=USR1
    [ ! -s err ]
}

@test "SIGBUS, which gsort handles itself, stays ignored" {
    require_plain_build # a sanitizer installs its own handler at the start
    survives BUS env --ignore-signal=BUS
}

@test "an ignored signal that arrives while handlers are installed" {
    require_strace
    # with each call, even those that find out that the signal is ignored
    env --ignore-signal=HUP strace -o /dev/null -e trace=rt_sigaction \
        -e inject=rt_sigaction:signal=HUP "$GSORT" in -o out
    assert_same wanted out
}
