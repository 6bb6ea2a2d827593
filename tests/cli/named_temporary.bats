# Where unnamed files are not possible, a hidden temporary is used, and signals remove it.
# SPDX-License-Identifier: MIT

load ../helper

# Run a command in a mount namespace with an empty /proc: without /proc, gsort cannot name an
# unnamed file.
without_proc()
{
    unshare -m bash -c 'mount -t tmpfs tmpfs /proc && exec "$@"' bash "$@"
}

setup()
{
    enter_directory
    require unshare
    require_plain_build
    without_proc true 2>/dev/null || skip "mounting is not permitted here"
    mkdir dir
    keygen uniform 100003 >in
    reference in >wanted
}

@test "a new file and a replaced one by a named temporary" {
    without_proc "$GSORT" in -o dir/out
    assert_same wanted dir/out
    echo old >dir/out
    chmod 640 dir/out
    without_proc "$GSORT" in -o dir/out
    assert_same wanted dir/out
    [ "$(stat -c %a dir/out)" = 640 ]
    [ "$(ls -A dir)" = out ]
}

@test "a new file gets its directory's default access control list, and no other rights" {
    require python3
    python3 -c '
import os, struct
entries = ((1, 6, -1), (2, 6, 1), (4, 4, -1), (16, 6, -1), (32, 0, -1))
acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
os.setxattr("dir", "system.posix_acl_default", acl)' || skip "no access control lists here"
    : >dir/plain
    without_proc "$GSORT" in -o dir/out
    python3 -c '
import os
name = "system.posix_acl_access"
assert os.getxattr("dir/out", name) == os.getxattr("dir/plain", name)'
    [ "$(stat -c %a dir/out)" = 660 ]
}

@test "a signal removes the named temporary" {
    mkfifo fifo
    echo old >dir/out
    for signal in TERM INT HUP QUIT ALRM PIPE IO PROF VTALRM XCPU XFSZ USR2 PWR STKFLT RTMIN \
        RTMAX; do
        exec 7<>fifo
        env --default-signal unshare -m bash -c \
            'mount -t tmpfs tmpfs /proc && exec "$@"' bash "$GSORT" -o dir/out <fifo 2>err 3>&- &
        GSORT_PID=$!
        cat in >&7
        wait_for compgen -G 'dir/.gsort-*' >/dev/null
        kill -s "$signal" "$GSORT_PID"
        local status=0
        wait "$GSORT_PID" || status=$?
        GSORT_PID=
        [ "$status" -eq $((128 + $(kill -l "$signal"))) ]
        [ "$(ls -A dir)" = out ]
        [ "$(cat dir/out)" = old ]
        [ ! -s err ]
        exec 7>&-
    done
}

@test "an error removes the named temporary" {
    printf 'abc' >odd
    echo old >dir/out
    run -2 --separate-stderr bash -c \
        'cat odd | unshare -m bash -c "mount -t tmpfs tmpfs /proc && exec \"$GSORT\" -o dir/out"'
    assert_trouble 3
    [ "$(ls -A dir)" = out ]
    [ "$(cat dir/out)" = old ]
}

@test "an input that shrinks during the run removes the named temporary" {
    mkfifo fifo
    keygen uniform 1000000 >in
    exec 7<>fifo
    env --default-signal unshare -m bash -c \
        'mount -t tmpfs tmpfs /proc && exec "$@"' bash "$GSORT" in fifo -o dir/out 2>err 3>&- 7>&- &
    GSORT_PID=$!
    keygen uniform 100 >&7
    wait_for has_open fifo # the first input is mapped and the temporary exists
    compgen -G 'dir/.gsort-*' >/dev/null
    : >in
    exec 7>&-
    local status=0
    wait "$GSORT_PID" || status=$?
    GSORT_PID=
    [ "$status" -eq 2 ]
    [ "$(wc -l <err)" -eq 1 ]
    [ -z "$(ls -A dir)" ]
}
