# On file systems of all kinds, the keys reach the disk: it is unmounted and mounted again.
# SPDX-License-Identifier: MIT
#
# Pages made ahead are written through a mapping, and each file system has its own way to allocate
# blocks for them: in advance (ext4, xfs), at write-back, or never for a hole. The contents of the
# page cache prove nothing about that.

load ../helper

# The input is large enough for pages to be made ahead.
setup()
{
    enter_directory
    PATH=$PATH:/usr/sbin:/sbin
    ln -s "$BATS_FILE_TMPDIR"/* .
}

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    keygen uniform 9M >in
    reference in >wanted
    reference -u in >wanted_once
    head -c 65536 in >before
    cat before wanted >wanted_behind
}

# write_outputs DIR: write one output for each path that keys can take to the disk.
write_outputs()
{
    take_turns 1 2 4
    for threads in "${TURNS[@]}"; do
        gsort --bins=100 --parallel="$threads" in -o "$1/wanted" # in the mapped file
    done
    { cat before && gsort in; } >"$1/wanted_behind"
    keygen uniform 9M | gsort -u >"$1/wanted_once"
    cp in "$1/wanted_itself"
    gsort --direct -S 8M -T "$1" "$1/wanted_itself" -o "$1/wanted_itself"
}

# assert_outputs DIR: these outputs are right, and no other files are there.
assert_outputs()
{
    assert_same wanted "$1/wanted"
    assert_same wanted_behind "$1/wanted_behind"
    assert_same wanted_once "$1/wanted_once"
    assert_same wanted "$1/wanted_itself"
    [ "$(find "$1" -type f | wc -l)" -eq 4 ]
}

# Print lines of KIND MOUNT-OPTION MKFS-OPTION...: the file systems that differ most.
kinds()
{
    cat <<'END'
ext4 data=ordered
ext4 data=journal -b 1024
ext2 nodelalloc
xfs noatime
btrfs compress-force=zstd:1
END
}

@test "outputs on every file system that can be made and mounted here" {
    local kind option options tried=0
    while read -r kind option options; do
        rm -f disk
        truncate -s 320M disk
        # shellcheck disable=SC2086  # several, or none
        "mkfs.$kind" -q $options disk >/dev/null 2>&1 || continue
        mount_image "$kind" disk "$kind" "$option" || continue
        echo "on $kind, $option $options"
        write_outputs "$kind"
        unmount_last
        mount_image "$kind" disk "$kind" "$option"
        assert_outputs "$kind"
        unmount_last
        tried=$((tried + 1))
    done < <(kinds)
    [ "$tried" -gt 0 ] || skip "no file system can be made and mounted here"
}

@test "on overlayfs, a file of the lower layer is replaced in the upper one" {
    mount_memory layers 300m
    mkdir layers/{lower,upper,work} both
    cp in layers/lower/wanted_itself
    local layers="lowerdir=$PWD/layers/lower,upperdir=$PWD/layers/upper,workdir=$PWD/layers/work"
    mount -t overlay -o "$layers" overlay both 2>/dev/null || skip "no overlay here"
    MOUNTED=("$PWD/both" "${MOUNTED[@]}")
    gsort both/wanted_itself -o both/wanted_itself
    assert_same wanted both/wanted_itself
    write_outputs both
    unmount_last
    assert_same in layers/lower/wanted_itself
    assert_outputs layers/upper
}
