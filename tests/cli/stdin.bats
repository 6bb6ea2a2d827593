# Standard input is read if no file or - is named, from pipes, files and devices.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 200003 >in
    reference in >wanted
}

@test "no operand, a file on standard input" {
    gsort <in >got
    assert_same wanted got
}

@test "the operand -" {
    gsort - <in >got
    assert_same wanted got
}

@test "a pipe on both ends" {
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | gsort | cat >got
    assert_same wanted got
}

@test "a slow pipe, in pieces that cut keys" {
    keygen uniform 1000 >small
    for size in 1 3 7 1001; do
        head -c "$size" small
        sleep 0.05
        tail -c +$((size + 1)) small >rest
        cat rest
    done >chopped
    reference chopped >wanted
    {
        head -c 3 chopped
        sleep 0.1
        head -c 9 chopped | tail -c 6
        sleep 0.1
        tail -c +10 chopped
    } | gsort >got
    assert_same wanted got
}

@test "an empty pipe gives an empty output" {
    true | gsort -o got
    [ -e got ]
    [ ! -s got ]
}

@test "/dev/null as input gives an empty output" {
    gsort </dev/null >got
    [ ! -s got ]
    gsort /dev/null >got
    [ ! -s got ]
}

@test "an input that is a FIFO" {
    mkfifo fifo
    cat in >fifo &
    gsort fifo >got
    wait $!
    assert_same wanted got
}

@test "an input that is a process substitution" {
    gsort <(cat in) >got
    assert_same wanted got
}

@test "a pipe with an incomplete last key is refused with size and remainder" {
    run -2 --separate-stderr bash -c 'head -c 4099 in | gsort -o out'
    assert_trouble 4099 3
    [ ! -e out ]
}

@test "a large pipe, with more keys than any buffer holds" {
    keygen gaussian 9000001 >big
    reference big >wanted
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat big | gsort | cat >got
    assert_same wanted got
}

@test "non-blocking pipes on both ends" {
    require python3
    keygen uniform 2000003 >in # more than a pipe holds
    reference in >wanted
    { sleep 0.2 && cat in; } | python3 -c '
import os, sys
os.set_blocking(0, False)
os.set_blocking(1, False)
os.execv(os.environ["GSORT"], ["gsort"])' | { sleep 0.5 && cat; } >got
    assert_same wanted got
}

@test "pipes and sockets with packets and without, in memory and beyond it" {
    require python3
    keygen uniform 1M >in # 4 MiB
    reference in >wanted
    for options in "packets" "stream" "seqpacket" "packets -S 1M -T ." "seqpacket -S 1M -T ."; do
        # shellcheck disable=SC2086  # several words
        python3 -c '
import os, socket, sys
if sys.argv[1] == "packets":
    reader, writer = os.pipe2(os.O_DIRECT)
else:
    kind = socket.SOCK_STREAM if sys.argv[1] == "stream" else socket.SOCK_SEQPACKET
    reader, writer = (end.detach() for end in socket.socketpair(socket.AF_UNIX, kind))
if os.fork() == 0:
    os.close(reader)
    keys = open("in", "rb").read()
    at, piece = 0, 1
    while at < len(keys):
        at += os.write(writer, keys[at : at + piece])
        piece = piece * 5 % 70001
    os._exit(0)
os.close(writer)
os.dup2(reader, 0)
os.execv(os.environ["GSORT"], ["gsort"] + sys.argv[2:])' $options >got
        assert_same wanted got
    done
}

@test "a file in /proc that claims to be empty, but is not" {
    [ -r /proc/self/auxv ] || skip "no /proc/self/auxv here"
    local bytes
    bytes=$(wc -c </proc/self/auxv)
    [ "$bytes" -gt 0 ]
    [ "$(gsort /proc/self/auxv | wc -c)" -eq "$bytes" ]
    [ "$(gsort </proc/self/auxv | wc -c)" -eq "$bytes" ]
}

@test "a pipe on a system that refuses splice" {
    require_strace
    keygen uniform 300000 >in
    reference in >wanted
    strace -f -o /dev/null -e inject=splice:error=EPERM "$GSORT" --device=cpu < <(cat in) >got
    assert_same wanted got
    strace -f -o /dev/null -e inject=splice:error=ENOSYS "$GSORT" -c < <(cat wanted)
}
