# Temporary files go where -T says, or else TMPDIR; none is left however the run ends.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 2000003 >in
    reference in >wanted
}

# Print the temporary files that a run waiting for its input has open.
open_files()
{
    readlink "/proc/$GSORT_PID/fd/"* 2>/dev/null | grep -E '\(deleted\)$'
}

@test "-T overrides TMPDIR, which overrides /tmp" {
    mkdir t1 t2 env
    mkfifo fifo
    for options in "-T t1" "-T t1 -T t2" ""; do
        exec 7<>fifo
        # shellcheck disable=SC2086  # options are words
        TMPDIR=$PWD/env start -S 1M $options fifo -o out 7>&-
        wait_for has_open fifo
        cat in >fifo
        wait_for open_files >files
        case $options in
        "-T t1") grep -q /t1/ files && run ! grep -Eq '/t2/|/env/' files ;;
        "") grep -q /env/ files && run ! grep -Eq '/t1/|/t2/' files ;;
        *) wait_for eval 'open_files | grep -q /t2/' ;;
        esac
        exec 7>&-
        wait "$GSORT_PID"
        assert_same wanted out
    done
    [ -z "$(find t1 t2 env -mindepth 1)" ]
}

@test "a signal leaves no temporary files" {
    mkdir tmp
    mkfifo fifo
    echo old >out
    for signal in TERM INT HUP; do
        exec 7<>fifo
        start -S 1M -T tmp fifo -o out 7>&-
        wait_for has_open fifo
        cat in >fifo
        wait_for open_files >/dev/null
        [ -z "$(ls -A tmp)" ] # they have no name
        kill -"$signal" "$GSORT_PID"
        status=0
        wait "$GSORT_PID" || status=$?
        exec 7>&-
        [ "$status" -gt 128 ]
        [ -z "$(ls -A tmp)" ]
        [ "$(cat out)" = old ]
    done
}

@test "no room under -T: one line, before any work if the size is known" {
    mount_memory tmp 1m
    run -2 --separate-stderr gsort -S 1M -T tmp in -o out
    assert_trouble tmp "temporary" "No space left"
    [ ! -e out ]
    [ -z "$(ls -A tmp)" ]
    run -2 --separate-stderr bash -c 'cat in | gsort -S 1M -T tmp -o out'
    assert_trouble tmp "No space left"
    [ ! -e out ]
}

@test "several -T are used together, each as far as there is room" {
    mount_memory small 2m
    mount_memory large 12m
    gsort -S 1M -T small -T large in -o out
    assert_same wanted out
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | gsort -S 1M -T small -T large -o out
    assert_same wanted out
    run -2 --separate-stderr gsort -S 1M -T small -T small in -o out2
    assert_trouble small "No space left"
}

@test "no room for the output: one line, and the old output stays" {
    mount_memory full 1m
    echo old >full/out
    run -2 --separate-stderr gsort -S 1M -T . in -o full/out
    assert_trouble full/out "No space left"
    [ "$(cat full/out)" = old ]
    [ "$(find full -mindepth 1 | wc -l)" -eq 1 ]
}

@test "output and temporary files on the same file system count together" {
    mount_memory both 12m
    run -2 --separate-stderr gsort -S 1M -T both in -o both/out
    assert_trouble both "of temporary files needed" "No space left" # before the work
    [ -z "$(ls -A both)" ]
    gsort -S 1M -T . in -o both/out
    assert_same wanted both/out
}

@test "a -T directory that is removed during the run is an error" {
    mkdir gone
    mkfifo fifo
    exec 7<>fifo
    start -S 1M -T gone fifo -o out 2>err 7>&-
    wait_for has_open fifo
    rmdir gone
    cat in >fifo 2>/dev/null 7>&- 3>&- & # dies of SIGPIPE when nobody reads the FIFO
    status=0
    wait "$GSORT_PID" || status=$?
    exec 7>&-
    [ "$status" -eq 2 ]
    grep -q 'gsort: gone: cannot create a temporary file' err
    [ ! -e out ]
}

@test "an external sort in place, over a named input and over a file on standard output" {
    cp in data
    gsort -S 1M data -o data
    assert_same wanted data
    cp in data
    gsort -S 1M data 1<>data
    assert_same wanted data
}

@test "an input that shrinks during an external sort is an error, and the old output stays" {
    mkfifo fifo
    echo old >out
    exec 7<>fifo
    start -S 1M -T . in fifo -o out 2>err 7>&-
    wait_for has_open fifo
    : >in
    exec 7>&-
    status=0
    wait "$GSORT_PID" || status=$?
    [ "$status" -eq 2 ] || [ "$status" -eq 0 ] # 0: gsort had read all of it before
    [ "$status" -eq 0 ] || {
        grep -q 'gsort: in: ' err
        [ "$(cat out)" = old ]
    }
}
