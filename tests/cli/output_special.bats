# A FIFO, a device and /dev/stdout named by -o are written to, not replaced.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 300007 >in
    reference in >wanted
}

@test "-o names a FIFO" {
    mkfifo fifo
    cat fifo >got &
    gsort in -o fifo
    wait $!
    [ -p fifo ]
    assert_same wanted got
    assert_only fifo got in wanted
}

@test "-o /dev/null" {
    gsort in -o /dev/null
    [ -c /dev/null ]
}

@test "-o /dev/stdout to a pipe and to a file" {
    gsort in -o /dev/stdout | cat >got
    assert_same wanted got
    gsort in -o /dev/stdout >got
    assert_same wanted got
}

@test "-o /dev/stdout to a file keeps what others wrote before" {
    {
        printf 'head'
        gsort in -o /dev/stdout
    } >got
    { printf 'head' && cat wanted; } >wanted2
    assert_same wanted2 got
}

@test "-o /dev/fd/N" {
    gsort in -o /dev/fd/5 5>&1 | cat >got
    assert_same wanted got
}

@test "/dev/stdin as input" {
    gsort /dev/stdin <in >got
    assert_same wanted got
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | gsort /dev/stdin >got
    assert_same wanted got
}
