# A full disk under fuse-overlayfs, which reports it late, is an error, and the old output stays.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    require fuse-overlayfs
    keygen uniform 3M >in
}

# over ARG...: run gsort with a fuse-overlayfs at ./m, over 8 MiB with an old out. It must fail.
over()
{
    mkdir lower m
    mount_memory disk 8m
    mkdir disk/upper disk/work
    echo old >disk/upper/out
    fuse-overlayfs -o lowerdir=lower,upperdir=disk/upper,workdir=disk/work m 2>/dev/null 3>&- ||
        skip "no file system by FUSE to be had here"
    MOUNTED=("$PWD/m" "${MOUNTED[@]}")
    run -2 --separate-stderr gsort "$@"
    unmount_last
    [ "$(cat disk/upper/out)" = old ]
    [ "$(ls -A disk/upper)" = out ]
    wait_for unmount_last 2>/dev/null # until fuse-overlayfs has ended
    rmdir lower m disk
}

@test "from a file, verified, unique and merged" {
    reference in >sorted
    for option in --verify --reverse --unique --direct; do
        over "$option" in -o m/out
        assert_trouble m/out "write failed"
    done
    over --merge sorted -o m/out
    assert_trouble m/out "write failed"
}

@test "from a pipe" {
    over -o m/out < <(cat in)
    assert_trouble m/out "write failed"
}

@test "temporary files" {
    over -S 1M -T m in -o m/out
    assert_trouble "gsort: m" "No space left"
}
