# A reader that goes away ends gsort silently by SIGPIPE; if SIGPIPE is ignored, with a message.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 1000003 >in
    reference in | head -c 400 >wanted || true
}

@test "gsort | head -c: status 141, nothing on standard error, the right keys" {
    run -141 --separate-stderr env --default-signal=PIPE bash -c \
        'gsort in 2>err | head -c 400 >got; exit "${PIPESTATUS[0]}"'
    [ ! -s err ]
    assert_same wanted got
}

@test "cat | gsort | head -c: status 141, nothing on standard error, the right keys" {
    run -141 --separate-stderr env --default-signal=PIPE bash -c \
        'cat in | gsort 2>err | head -c 400 >got; exit "${PIPESTATUS[1]}"'
    [ ! -s err ]
    assert_same wanted got
}

@test "the reader of a FIFO named by -o goes away: death by SIGPIPE" {
    mkfifo fifo
    head -c 400 fifo >got &
    run -141 --separate-stderr env --default-signal=PIPE "$GSORT" in -o fifo
    wait $!
    [ -z "$stderr" ]
    assert_same wanted got
}

@test "SIGPIPE ignored: status 2 and one line" {
    run -2 --separate-stderr env --ignore-signal=PIPE bash -c \
        'gsort in | head -c 400 >got; exit "${PIPESTATUS[0]}"'
    assert_trouble "Broken pipe"
}
