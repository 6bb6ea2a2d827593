# An output that cannot be written is refused before any work, in one line that names it.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 1000 >in
    mkfifo never
    exec 7<>never
}

# Run gsort on a pipe that never brings a byte: it must refuse the output before it reads.
refused_at_once()
{
    run -2 --separate-stderr timeout 120 "$GSORT" ${GSORT_DEVICE:+"--device=$GSORT_DEVICE"} \
        never -o "$1"
}

@test "an output in a directory that does not exist" {
    refused_at_once missing/out
    assert_trouble missing/out "No such file"
}

@test "a directory as output" {
    mkdir dir
    refused_at_once dir
    assert_trouble dir "irectory"
    refused_at_once .
    assert_trouble "irectory"
    [ -d dir ]
}

@test "an output name below a file" {
    refused_at_once in/out
    assert_trouble in/out "Not a directory"
}

@test "an empty output name" {
    refused_at_once ""
    assert_trouble
}

@test "an output name that is too long" {
    local name
    name=$(printf 'x%.0s' {1..256})
    refused_at_once "$name"
    assert_trouble "too long"
}

@test "an output descriptor that is not open" {
    refused_at_once /dev/fd/99
    assert_trouble "/dev/fd/99: cannot be created: No such file"
}

@test "an output in a directory that may not be written" {
    require_nobody
    keygen uniform 1000 >in
    chmod 555 . # the user running this may own it
    run -2 --separate-stderr as_nobody "$GSORT" in -o out
    chmod 755 .
    assert_trouble out "Permission denied"
    assert_only in
}

@test "an output that may not be written, in a directory that may" {
    # sort(1) and cp(1) open the output for writing; like them, gsort leaves a read-only file alone.
    require_nobody
    keygen uniform 1000 >in
    echo old >out
    chmod 444 out
    chmod 777 .
    run -2 --separate-stderr as_nobody "$GSORT" in -o out
    assert_trouble out "Permission denied"
    [ "$(cat out)" = old ]
    assert_only in out
}

@test "another user's file in a directory with the sticky bit" {
    require_nobody
    [ "$(id -u)" -eq 0 ] || skip "only root can make a file of somebody else's"
    mkfifo empty
    exec 8<>empty
    echo old >out
    chmod 666 out empty
    chmod 1777 .
    run -2 --separate-stderr as_nobody timeout 120 "$GSORT" empty -o out
    assert_trouble out "Operation not permitted"
    [ "$(cat out)" = old ]
    assert_only empty out
}

@test "the owner of a directory with the sticky bit may replace files in it" {
    require_nobody
    [ "$(id -u)" -eq 0 ] || skip "only root can make a file of somebody else's"
    keygen uniform 1000 >in
    reference in >wanted
    mkdir -m 1755 own
    echo old >own/out
    chmod 666 own/out
    chown 65534:65534 own
    as_nobody "$GSORT" in -o own/out
    assert_same wanted own/out
}

@test "an output descriptor that is not open, with an input that could be sorted" {
    run -2 --separate-stderr gsort in -o /dev/fd/99
    assert_trouble /dev/fd/99
}

@test "an output that is a mount point and cannot be replaced" {
    require unshare
    require_plain_build
    unshare -m true 2>/dev/null || skip "mounting is not permitted here"
    echo old >out
    cp out outside
    run -2 --separate-stderr timeout 120 unshare -m bash -c \
        'mount --bind outside out && exec "$GSORT" never -o out'
    assert_trouble out "mounted"
    [ "$(cat out outside)" = $'old\nold' ]
    assert_only in never out outside
    # If the shell opens it, it is written like any other file.
    unshare -m bash -c 'mount --bind outside out && "$GSORT" in >out'
    reference in >wanted
    assert_same wanted outside
}

@test "an append-only output, which cannot be replaced" {
    require chattr
    echo old >out
    chattr +a out 2>/dev/null || skip "no append-only files here"
    local refused=0
    refused_at_once out || refused=$?
    chattr -a out # otherwise nobody could remove it
    [ "$refused" -eq 0 ]
    assert_trouble out "append-only"
    [ "$(cat out)" = old ]
    assert_only in never out
}

@test "an output in an append-only directory, where it cannot be replaced" {
    require chattr
    mkdir kept
    echo old >kept/out
    chattr +a kept 2>/dev/null || skip "no append-only directories here"
    local refused=0
    refused_at_once kept/out || refused=$?
    chattr -a kept # otherwise nobody could remove it
    [ "$refused" -eq 0 ]
    assert_trouble kept/out "append-only directory"
    [ "$(cat kept/out)" = old ]
    [ "$(ls -A kept)" = out ]
}

@test "an output path that is too long is refused with the reason" {
    local path
    path=$(printf '/dddddddddd%.0s' {1..600})
    run -2 --separate-stderr "$GSORT" in -o "$path"
    [[ ${stderr_lines[0]} == *"File name too long" ]]
}
