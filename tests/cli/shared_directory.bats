# In a directory shared with others, gsort follows or writes no other user's link, file or FIFO.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 100003 >in
    reference in >wanted
    echo mine >victim
    mkdir shared
    chmod 1777 shared
}

# give FILE...: make another user their owner.
give()
{
    [ "$(id -u)" -eq 0 ] || skip "only root can give files away"
    chown -h 65534:65534 "$@" 2>/dev/null || skip "cannot give files away here"
}

# refused NAME: gsort refuses this output at once, although its input never brings a byte.
refused()
{
    [ -p never ] || mkfifo never
    exec 7<>never
    run -2 --separate-stderr timeout 120 "$GSORT" ${GSORT_DEVICE:+"--device=$GSORT_DEVICE"} \
        never -o "$1"
    exec 7>&-
    assert_trouble "$1" "Operation not permitted"
    [ "$(cat victim)" = mine ]
}

@test "another user's link is not followed, dangling or not" {
    ln -s ../victim shared/out
    ln -s ../new shared/out2
    give shared/out shared/out2
    refused shared/out
    refused shared/out2
    [ ! -e new ]
    ln -s shared/out link # nor as the target of the user's own link
    refused link
}

@test "the user's own link is followed, and one by the directory's owner, too" {
    ln -s ../target shared/out
    gsort in -o shared/out
    assert_same wanted target
    rm target
    give shared/out shared
    gsort in -o shared/out
    assert_same wanted target
}

@test "another user's file is not replaced, not even by root" {
    echo theirs >shared/out
    chmod 666 shared/out
    give shared/out
    refused shared/out
    [ "$(cat shared/out)" = theirs ]
    chmod 0777 shared # without the sticky bit, anybody may replace it
    gsort in -o shared/out
    assert_same wanted shared/out
}

@test "another user's FIFO is not written to" {
    mkfifo -m 666 shared/out
    give shared/out
    refused shared/out
    [ -p shared/out ]
}

@test "another user who keeps swapping file, link and nothing gains nothing" {
    [ "$(id -u)" -eq 0 ] || skip "only root can be somebody else too"
    require_nobody
    mkdir -m 1777 shared
    echo mine >victim
    : >go
    keygen uniform 1000 >in
    reference in >wanted
    as_nobody sh -c 'while [ -e go ]; do
            ln -s ../victim shared/out; rm -f shared/out; echo theirs >shared/out; rm -f shared/out
        done' >/dev/null 2>&1 3>&- &
    local prankster=$! status runs written=0
    runs=$(repeats 60)
    for ((i = 0; i < runs; i++)); do
        status=0
        gsort in -o shared/out 2>err || status=$?
        [ "$(cat victim)" = mine ]
        if [ "$status" -eq 0 ]; then
            assert_same wanted shared/out
            rm -f shared/out
            written=$((written + 1))
        else
            [ "$status" -eq 2 ]
            [ "$(wc -l <err)" -eq 1 ]
        fi
    done
    rm go
    wait "$prankster" || true
    echo "written: $written of $runs"
}

@test "the temporary has mode 0600 until it is complete" {
    mkfifo fifo
    exec 7<>fifo
    umask 000
    start -o shared/out <fifo 2>err 7>&-
    keys 1 >&7
    # An unnamed temporary shows as shared/#INODE (deleted), a named one as shared/.gsort-XXXXX.
    wait_for has_open 'shared/[#.][^/]*'
    local fd mode=
    for fd in /proc/"$GSORT_PID"/fd/*; do
        case $(readlink "$fd") in
        *shared/[#.]*) mode=$(stat -Lc %a "$fd") ;;
        esac
    done
    exec 7>&-
    wait "$GSORT_PID"
    GSORT_PID=
    [ "$mode" = 600 ]
    [ "$(stat -c %a shared/out)" = 666 ]
}

@test "a directory with the set-group-ID bit gives a new file its group" {
    [ "$(id -u)" -eq 0 ] || skip "only root can give files away"
    chown 0:23456 shared 2>/dev/null || skip "cannot give files away here"
    chmod 2775 shared
    umask 027
    gsort in -o shared/out
    [ "$(stat -c %g:%a shared/out)" = 23456:640 ]
    chgrp 12345 shared/out # a replaced file keeps its own group
    gsort in -o shared/out
    [ "$(stat -c %g:%a shared/out)" = 12345:640 ]
    assert_same wanted shared/out
}

# created [STRACE-OPTION...] GSORT: trace an external sort and print its calls that create files.
created()
{
    rm -f trace
    strace -f -o trace -e trace=open,openat,creat "$@" --device=cpu -S 64K -T shared large \
        -o shared/out || return
    grep -E 'O_CREAT|O_TMPFILE|creat\(' trace
}

@test "output and temporary files are created new, not through links, with mode 0600" {
    require_strace
    [ -e "${FAULTS:-}" ] || skip "FAULTS is not set: make check sets it"
    keygen uniform 1000003 >large
    reference large >wanted
    created "$GSORT" >unnamed
    assert_same wanted shared/out
    [ "$(grep -c O_TMPFILE unnamed)" -ge 2 ]
    created -E GSORT_FAULT_NAMED=1 -E LD_PRELOAD="$FAULTS" "$GSORT" >named
    assert_same wanted shared/out
    [ "$(grep -c 'gsort-.*O_CREAT.* = [0-9]' named)" -ge 2 ]
    cat unnamed named
    # A new unnamed output is created with 0666, to learn the kernel's choice, then gets mode 0600.
    run ! grep -vE ', 0600\)|O_TMPFILE, 0666\)' unnamed named
    run ! grep -vE 'O_TMPFILE|O_EXCL.*O_NOFOLLOW|O_NOFOLLOW.*O_EXCL' unnamed named
    run ! grep -E 'creat\(' unnamed named
    [ "$(ls -A shared)" = out ]
}
