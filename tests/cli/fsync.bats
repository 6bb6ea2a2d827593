# --fsync synchronizes the file before it gets its name and after, and then its directory.
# SPDX-License-Identifier: MIT

load ../helper

# traced ARG...: run gsort and print its system calls that matter here, one per line.
traced()
{
    strace -f -o trace -e trace=fsync,fdatasync,linkat,rename,renameat,renameat2 \
        "$GSORT" --device=cpu "$@" || return
    grep -oE '(fsync|fdatasync|linkat|rename[a-z0-9]*)\(.*' trace
}

setup()
{
    enter_directory
    require_strace
    keygen uniform 100003 >in
    reference in >wanted
}

# The first linkat asks whether another will be permitted.
@test "order of calls: file, name, file again, directory" {
    traced --fsync in -o out >calls
    assert_same wanted out
    sed -i 's/(.*//' calls
    [ "$(xargs <calls)" = "linkat fsync linkat fsync fsync" ]
    traced --fsync in -o out >calls # replacing an old file
    assert_same wanted out
    sed -i 's/(.*//' calls
    [ "$(xargs <calls)" = "linkat fsync linkat renameat fsync fsync" ]
    traced --fsync -m wanted -o out >calls
    assert_same wanted out
    [ "$(grep -c fsync calls)" -eq 3 ]
}

@test "without --fsync nothing is synchronized" {
    traced in -o out >calls
    run ! grep -q sync calls
}

@test "a file on standard output is synchronized; a pipe is no error" {
    "$GSORT" --device=cpu --fsync in >out
    assert_same wanted out
    "$GSORT" --device=cpu --fsync in | cat >got
    assert_same wanted got
    strace -f -o trace -e trace=fsync "$GSORT" --device=cpu --fsync in >out
    [ "$(grep -c 'fsync(' trace)" -eq 1 ]
}

# The contents of a mounted image are what a disk would have after a power failure at that moment.
@test "a disk without a journal has the file and its name after --fsync" {
    truncate -s 16M disk
    PATH=$PATH:/usr/sbin:/sbin mkfs.ext4 -q -O ^has_journal disk || skip "needs mkfs.ext4"
    mount_image at disk ext4 || skip "mounting is not permitted here"
    echo old >at/out
    sync -f at
    gsort --fsync in -o at/new
    gsort --fsync in -o at/out
    cp disk later
    mount_image seen later ext4
    assert_same wanted seen/new
    assert_same wanted seen/out
}
