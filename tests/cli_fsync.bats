# --fsync: the file before it gets its name, then with it, then its directory, are on the disk.
# SPDX-License-Identifier: MIT

load helper

# traced ARG...: the system calls of a run that matter here, one a line.
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

@test "file, name, file with its name, directory, in this order" {
    traced --fsync in -o out >calls
    assert_same wanted out
    sed -i 's/(.*//' calls
    [ "$(xargs <calls)" = "fsync linkat fsync fsync" ]
    traced --fsync in -o out >calls # over what is there
    assert_same wanted out
    sed -i 's/(.*//' calls
    [ "$(xargs <calls)" = "fsync linkat renameat fsync fsync" ]
    traced --fsync -m wanted -o out >calls
    assert_same wanted out
    [ "$(grep -c fsync calls)" -eq 3 ]
}

@test "without it nothing is synchronized" {
    traced in -o out >calls
    run ! grep -q sync calls
}

@test "a file on standard output is, a pipe cannot be" {
    "$GSORT" --device=cpu --fsync in >out
    assert_same wanted out
    "$GSORT" --device=cpu --fsync in | cat >got
    assert_same wanted got
    strace -f -o trace -e trace=fsync "$GSORT" --device=cpu --fsync in >out
    [ "$(grep -c 'fsync(' trace)" -eq 1 ]
}

# What a file holds that is mounted is what a disk would have after a power failure at that moment.
@test "a disk without a journal has the file and its name, too" {
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
