# A full or closed output is an error, reported in one line; nothing is left behind.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 300007 >in
}

# mount_small [MIB]: mount a tmpfs of MIB (default 1) at ./small, where mounting is permitted.
mount_small()
{
    mount_memory small "${1:-1}m"
}

@test "/dev/full by redirection and by name" {
    [ -w /dev/full ] || skip "no /dev/full here"
    run -2 --separate-stderr bash -c 'gsort in >/dev/full'
    assert_trouble "No space left"
    run -2 --separate-stderr gsort in -o /dev/full
    assert_trouble /dev/full "No space left"
    run -2 --separate-stderr bash -c 'head -c 4 in | gsort >/dev/full'
    assert_trouble "No space left"
}

@test "an empty input to /dev/full is no error: nothing is written" {
    [ -w /dev/full ] || skip "no /dev/full here"
    run -0 bash -c 'gsort </dev/null >/dev/full'
}

@test "closed standard output is an error" {
    run -2 --separate-stderr bash -c 'gsort in >&-'
    assert_trouble "it is closed, or open for the other direction"
}

@test "closed standard output is no error with -o or -c" {
    run -0 --separate-stderr bash -c 'gsort in -o out >&-'
    reference in >wanted
    assert_same wanted out
    run -0 --separate-stderr bash -c 'gsort -c out >&-'
}

@test "with standard error closed, no message gets into the output" {
    reference in >wanted
    gsort in -o out 2>&-
    assert_same wanted out
    gsort in 2>&- >got
    assert_same wanted got
    # A caller who closes it wants no messages, so that is no error; a full one is.
    gsort --stats in -o out2 2>&-
    assert_same wanted out2
    gsort --stats in 2>&- >got2
    assert_same wanted got2
    [ -w /dev/full ] || skip "no /dev/full here"
    run -2 bash -c 'gsort --stats in -o out 2>/dev/full'
}

@test "with all three standard streams closed, -o is still possible" {
    run -2 bash -c 'gsort <&- >&- 2>&-'
    reference in >wanted
    gsort in -o out <&- >&- 2>&-
    assert_same wanted out
}

@test "no file gets the descriptor of a closed standard stream" {
    mkfifo fifo
    exec 7<>fifo
    "$GSORT" --device=cpu fifo -o out <&- >&- 2>&- 7>&- 3>&- &
    GSORT_PID=$!
    wait_for has_open fifo
    for fd in 0 1 2; do
        [ "$(readlink "/proc/$GSORT_PID/fd/$fd")" = /dev/null ]
    done
    exec 7>&-
    wait "$GSORT_PID"
}

@test "standard output open only for reading is an error" {
    run -2 --separate-stderr bash -c 'gsort in 1<in'
    assert_trouble "it is closed, or open for the other direction"
}

@test "a full disk: -o keeps the old output and leaves no temporary" {
    mount_small
    echo old >small/out
    run -2 --separate-stderr gsort in -o small/out
    assert_trouble small/out "No space left"
    [ "$(cat small/out)" = old ]
    [ "$(find small -mindepth 1 | wc -l)" -eq 1 ]
}

@test "a full disk: --direct reports a short last write" {
    keygen uniform 300032 | reference >in # whole blocks
    mount_memory small 1100k
    run -2 --separate-stderr gsort --direct in -o small/out
    assert_trouble small/out "No space left"
}

@test "an external sort counts only the space that btrfs can give, even to root" {
    truncate -s 160M disk
    PATH=$PATH:/usr/sbin:/sbin mkfs.btrfs -q disk >/dev/null 2>&1 || skip "needs mkfs.btrfs"
    mount_image small disk btrfs || skip "mounting is not permitted here"
    read -r free available block <<<"$(stat -f -c '%f %a %S' small)"
    [ "$available" -lt "$free" ]
    keygen uniform $(((free + available) * block / 8)) >large # between the two
    run -2 --separate-stderr gsort -S 1M -T small large -o /dev/null
    assert_trouble "of temporary files needed, room for"
}

@test "an external sort checks the room for its output first, with -o and redirection" {
    mount_small 8
    keygen uniform 3M >large
    run -2 --separate-stderr gsort -S 1M -T . large -o small/out
    assert_trouble small/out "no room for its 12.0 MiB, only for "
    run -2 --separate-stderr bash -c 'gsort -S 1M -T . large >small/out'
    assert_trouble "no room for its"
    [ ! -s small/out ]
    head -c 6000000 large >small/out # is overwritten
    run -2 --separate-stderr bash -c 'gsort -S 1M -T . large 1<>small/out'
    assert_trouble "no room for its"
    head -c 6000000 large | cmp - small/out
    head -c 7000000 large >part
    reference part >wanted
    gsort -S 1M -T . part 1<>small/out
    assert_same wanted small/out
    # Space that is already allocated to the output is room.
    keygen uniform 1M >part
    reference part >wanted
    rm small/out
    : >small/out
    fallocate -n -l 6M small/out
    head -c 1M /dev/zero >small/other
    gsort -S 1M -T . part >>small/out
    assert_same wanted small/out
}

@test "overwritten blocks count as room, behind a hole, too" {
    mount_small 8
    keygen uniform 1500000 >part
    reference part >wanted
    truncate -s 4M small/out
    cat part >>small/out # less than 2.5 MB are left
    exec 9<>small/out
    dd bs=1M count=4 of=/dev/null status=none <&9
    gsort -S 1M -T . part >&9
    exec 9>&-
    tail -c +4194305 small/out | cmp - wanted
    [ "$(wc -c <small/out)" -eq $((4194304 + 6000000)) ]
}

# With four or more processors, the output's pages are made while a pipe is read, from 32 MiB on.
@test "a disk that fills up while pages are made ahead" {
    mount_small 40
    echo old >small/out
    run -2 --separate-stderr bash -c 'keygen uniform 12M | gsort --parallel=16 -o small/out'
    assert_trouble small/out "No space left"
    [ "$(cat small/out)" = old ]
    [ "$(find small -mindepth 1 | wc -l)" -eq 1 ]
    rm small/out
    run -2 --separate-stderr bash -c 'keygen uniform 12M | gsort --parallel=16 >small/out'
    assert_trouble "No space left"
}

@test "a disk just as large as the output, with pages made ahead" {
    mount_small 48
    keygen uniform 12M >in
    reference in >wanted
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | gsort --parallel=16 -o small/out
    assert_same wanted small/out
    rm small/out
    for _ in $(seq "$(repeats 12)"); do # threads making a page together could overfill it briefly
        # shellcheck disable=SC2002
        cat in | gsort --parallel=16 >small/out
        assert_same wanted small/out
    done
}

@test "a full disk: an error on standard output" {
    mount_small
    run -2 --separate-stderr bash -c 'gsort in >small/out'
    assert_trouble "No space left"
}

@test "a disk that fills up while output is appended" {
    mount_small
    keygen uniform 200000 >small/out
    run -2 --separate-stderr bash -c 'gsort in >>small/out'
    assert_trouble "No space left"
}

@test "a limit on file size: death by SIGXFSZ, no temporary left" {
    echo old >out
    run -153 --separate-stderr env --default-signal=XFSZ bash -c \
        'ulimit -f 100; exec "$GSORT" in -o out'
    [ "$(cat out)" = old ]
    assert_only in out
}

@test "a limit on file size with SIGXFSZ ignored: one line, no temporary left" {
    echo old >out
    run -2 --separate-stderr env --ignore-signal=XFSZ bash -c \
        'ulimit -f 100; exec "$GSORT" in -o out'
    assert_trouble out "File too large"
    [ "$(cat out)" = old ]
    assert_only in out
}

@test "a limit on file size with SIGXFSZ ignored: temporary files" {
    keygen uniform 1000000 >large
    run -2 --separate-stderr env --ignore-signal=XFSZ bash -c \
        'ulimit -f 100; exec "$GSORT" -S 1M -T . large -o /dev/null'
    assert_trouble "gsort: .: " "File too large"
    assert_only in large
}
