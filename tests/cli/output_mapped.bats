# A large output of the CPU sort is sorted in place in the mapped file, with the same bytes.
# SPDX-License-Identifier: MIT
#
# Few threads write all over the file (from 65,536 keys per bin on), four or more write it from its
# beginning.

load ../helper

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    keygen uniform 10M >in
    reference in >wanted
    { head -c $((7 << 22)) in && head -c $((3 << 22)) in; } >again
    reference -u again >unique
}

setup()
{
    enter_directory
    ln -s "$BATS_FILE_TMPDIR"/{in,wanted} .
}

# sort_mapped ARGUMENTS...: sort with few threads or with many, in turn.
sort_mapped()
{
    take_few 1 4 2 7
    for threads in "${TURNS[@]}"; do
        rm -f out
        gsort --bins=100 --parallel="$threads" "$@" in -o out
        assert_same "${WANTED:-wanted}" out
    done
}

@test "a mapped output by few threads and by many, on a disk and on tmpfs" {
    sort_mapped
    sort_mapped
    mount_memory memory 100m
    for threads in 2 4; do
        gsort --bins=100 --parallel="$threads" in -o memory/out
        assert_same wanted memory/out
        gsort --bins=100 --parallel="$threads" in >memory/out
        assert_same wanted memory/out
    done
}

@test "a mapped output with -r, -u and --verify" {
    local options
    for options in "" -r -u; do
        reference ${options:+"$options"} in >ordered
        WANTED=ordered sort_mapped --verify ${options:+"$options"}
    done
}

@test "a mapped standard output, also behind what the file contains" {
    take_few 4 2
    for threads in "${TURNS[@]}"; do
        gsort --bins=100 --parallel="$threads" in >out
        assert_same wanted out
        head -c 65536 wanted >out
        gsort --bins=100 --parallel="$threads" in >>out
        { head -c 65536 wanted && cat wanted; } | cmp - out
        { head -c 65536 wanted && gsort --bins=100 --parallel="$threads" in; } >out
        { head -c 65536 wanted && cat wanted; } | cmp - out
    done
}

@test "a mapped output of skewed, few, sorted and reversed keys" {
    take_turns zipf few sorted reversed clusters
    for distribution in "${TURNS[@]}"; do
        rm in wanted
        keygen "$distribution" 10M >in
        reference in >wanted
        sort_mapped
    done
}

@test "a mapped output on a full file system: one line, the old output stays" {
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

@test "a mapped output on a file system with just enough room" {
    mount_memory small 41m
    for threads in 2 4; do
        gsort --bins=100 --parallel="$threads" in -o small/out
        assert_same wanted small/out
        rm small/out
    done
}

# most_stay: take an input of 7M keys and 3M of them again, of which -u keeps most.
most_stay()
{
    ln -sf "$BATS_FILE_TMPDIR/again" in
    ln -s "$BATS_FILE_TMPDIR/unique" .
}

@test "-u where there is room for the unique keys only" {
    most_stay
    mount_memory small 29m
    for threads in 2 4; do
        gsort -u --bins=100 --parallel="$threads" in -o small/out
        assert_same unique small/out
        rm small/out
    done
}

@test "-u where a file may be only as long as the unique keys" {
    most_stay
    for threads in 2 4; do
        (ulimit -f $((28 << 10)) && gsort -u --bins=100 --parallel="$threads" in -o out)
        assert_same unique out
        (ulimit -f $((28 << 10)) && gsort -u --bins=100 --parallel="$threads" in >out)
        assert_same unique out
    done
}

@test "-u of a pipe that repeats its first keys later" {
    for more in 1 6; do # repeated once and six times: 1/2 and 1/7 stay
        rm -f in
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

@test "with data=journal, where a mapping is slow, the output is not mapped" {
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
