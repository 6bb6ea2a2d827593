# A pipe gets pages instead of copies, and its reader gets the right bytes at any time.
# SPDX-License-Identifier: MIT
#
# That is done from 1 Mi keys on; fewer keys are copied by write(2).

load ../helper

setup()
{
    enter_directory
    keygen uniform 3M >in
    reference in >wanted
}

@test "few threads and many write to a reader that is late or reads in small pieces" {
    take_turns 1 4 2 7
    for threads in "${TURNS[@]}"; do
        gsort --bins=100 --parallel="$threads" in | cat >got
        assert_same wanted got
        gsort --bins=100 --parallel="$threads" in | { sleep 0.2 && cat; } >got
        assert_same wanted got
        gsort --bins=100 --parallel="$threads" in | dd bs=1021 status=none >got
        assert_same wanted got
    done
}

@test "a reader that passes pages on" {
    gsort in | gsort --check
    gsort in | gsort -r >got
    reference -r in | cmp - got
}

@test "a reader that reads late while gsort goes on and ends" {
    mkfifo late
    { sleep 0.3 && cat; } <late >got &
    gsort in >late
    wait $!
    assert_same wanted got
}

@test "sizes around 1 Mi keys, into a pipe" {
    for count in 1048575 1048576 1048577; do
        head -c $((4 * count)) in >part
        reference part >wanted
        gsort part | cat >got
        assert_same wanted got
    done
}

@test "into a pipe with -r, -u and --verify" {
    reference -r in >descending
    gsort --verify -r in | cat >got
    assert_same descending got
    reference -u in >unique
    gsort --verify -u in | cat >got
    assert_same unique got
}

@test "skewed, few, sorted, reversed and equal keys into a pipe" {
    take_turns zipf few sorted reversed clusters equal
    for distribution in "${TURNS[@]}"; do
        keygen "$distribution" 3M >in
        reference in >wanted
        gsort --verify in | cat >got
        assert_same wanted got
        gsort -r in | cat >got
        reference -r in | cmp - got
    done
}

@test "a merge into a pipe" {
    keygen zipf 2097152 >others
    reference others >second
    reference in others >both
    gsort -m wanted second | cat >got
    assert_same both got
    reference -r both >descending
    gsort -m -r <(reference -r in) <(reference -r others) | cat >got
    assert_same descending got
}

@test "a socket as output, which gets copies" {
    require python3
    python3 - "$GSORT" ${GSORT_DEVICE:+"--device=$GSORT_DEVICE"} in >got <<'EOF'
import socket, subprocess, sys
ours, its = socket.socketpair()
with subprocess.Popen(sys.argv[1:], stdout=its) as gsort:
    its.close()
    while piece := ours.recv(1 << 16):
        sys.stdout.buffer.write(piece)
sys.exit(gsort.returncode)
EOF
    assert_same wanted got
}
