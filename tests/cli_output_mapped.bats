# A large output of the CPU is sorted in the file's own memory, and is the same as any.
# SPDX-License-Identifier: MIT
#
# By few threads all over it (from 65,536 keys a bin on), by four or more from its beginning on.

load helper

setup()
{
    enter_directory
    keygen uniform 10M >in
    reference in >wanted
}

# sort_both ARGUMENTS...: by few threads and by many.
sort_both()
{
    # With --device=gpu: each of the sorts once, the threads by turns.
    take_turns 1 2 4 7
    for threads in "${TURNS[@]}"; do
        rm -f out
        gsort --bins=100 --parallel="$threads" "$@" in -o out
        assert_same "${WANTED:-wanted}" out
    done
}

@test "by few threads and by many, on a disk and in memory's file system" {
    sort_both
    mount_memory memory 100m
    for threads in 2 4; do
        gsort --bins=100 --parallel="$threads" in -o memory/out
        assert_same wanted memory/out
        gsort --bins=100 --parallel="$threads" in >memory/out
        assert_same wanted memory/out
    done
}

@test "in descending order, without repetitions, proven" {
    sort_both --verify
    reference -r in >descending
    WANTED=descending sort_both -r
    reference -u in >unique
    WANTED=unique sort_both -u
}

@test "to standard output, and behind what it has already" {
    for threads in 2 4; do
        gsort --bins=100 --parallel="$threads" in >out
        assert_same wanted out
        head -c 65536 wanted >out
        gsort --bins=100 --parallel="$threads" in >>out
        { head -c 65536 wanted && cat wanted; } | cmp - out
        { head -c 65536 wanted && gsort --bins=100 --parallel="$threads" in; } >out
        { head -c 65536 wanted && cat wanted; } | cmp - out
    done
}

@test "keys with a frequent value, few values, keys in order" {
    for distribution in zipf few sorted reversed clusters; do
        keygen "$distribution" 10M >in
        reference in >wanted
        sort_both
    done
}

@test "a file system that has no room: one line, the old output stays" {
    mount_memory small 39m
    echo old >small/out
    for threads in 2 4; do
        run -2 --separate-stderr gsort --bins=100 --parallel="$threads" in -o small/out
        assert_trouble small/out "No space left"
        [ "$(cat small/out)" = old ]
        [ "$(find small -mindepth 1 | wc -l)" -eq 1 ]
    done
    rm small/out
    for threads in 2 4; do
        run -2 --separate-stderr bash -c "gsort --bins=100 --parallel=$threads in >small/out"
        assert_trouble "No space left"
    done
}

@test "a file system with just the room that it takes" {
    mount_memory small 41m
    for threads in 2 4; do
        gsort --bins=100 --parallel="$threads" in -o small/out
        assert_same wanted small/out
        rm small/out
    done
}

# most_stay: 7M keys, and 3M of them again.
most_stay()
{
    keygen uniform 7M >in
    head -c $((3 << 22)) in >again
    cat again >>in
    reference -u in >unique
}

@test "without repetitions, where there is room for those that stay only" {
    most_stay
    mount_memory small 29m
    for threads in 2 4; do
        gsort -u --bins=100 --parallel="$threads" in -o small/out
        assert_same unique small/out
        rm small/out
    done
}

@test "without repetitions, where files may be only as long as those that stay" {
    most_stay
    for threads in 2 4; do
        (ulimit -f $((28 << 10)) && gsort -u --bins=100 --parallel="$threads" in -o out)
        assert_same unique out
        (ulimit -f $((28 << 10)) && gsort -u --bins=100 --parallel="$threads" in >out)
        assert_same unique out
    done
}

@test "without repetitions, from a pipe that has few of them at first" {
    for more in 1 6; do # once more, and six times: a seventh stays
        keygen uniform 3M >part
        for _ in $(seq 0 "$more"); do cat part; done >in
        reference -u part >unique
        for threads in 2 4; do
            # shellcheck disable=SC2002 # a pipe is wanted
            cat in | gsort -u --bins=100 --parallel="$threads" >out
            assert_same unique out
        done
    done
}

@test "not where the disk's journal gets the bytes, too: a mapping is slow there" {
    require_strace
    [[ $(uname -r) =~ ^([0-9]+)\.([0-9]+) ]]
    local release=$((BASH_REMATCH[1] * 100 + BASH_REMATCH[2]))
    [ "$release" -ge 601 ] || skip "Linux does not tell before 6.1"
    truncate -s 200M disk
    PATH=$PATH:/usr/sbin:/sbin mkfs.ext4 -q disk || skip "needs mkfs.ext4"
    for journal in ordered journal; do
        mount_image "$journal" disk ext4 "data=$journal" || skip "mounting is not permitted here"
        strace -f -o trace -e trace=mmap "$GSORT" --device=cpu --bins=100 in -o "$journal/out"
        assert_same wanted "$journal/out"
        unmount_last
        grep -c 'PROT_WRITE, MAP_SHARED' trace >"$journal.count" || true
    done
    [ "$(cat ordered.count)" -eq 1 ]
    [ "$(cat journal.count)" -eq 0 ]
}
