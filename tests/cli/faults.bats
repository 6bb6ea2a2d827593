# A failing system call is an error in one line or does no harm: the quick part of check-faults.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    [ -z "$GSORT_DEVICE" ] || skip "the walk takes --device=cpu"
    [ -e "${FAULTS:-}" ] || skip "FAULTS is not set: make check sets it"
    require_plain_build
}

# walk KINDS MODE...: fail calls of these kinds in these modes, with two of the errors of sandboxes;
# with GSORT_EXPENSIVE, each call (make check-faults: all kinds, modes and errors).
walk()
{
    local some=1
    ! is_expensive || some=0
    GSORT_FAULT_SOME=$some GSORT_REFUSALS=${REFUSALS:-1 38} GSORT_FAULT_KINDS=$1 \
        "$ROOT/tests/faults/walk.sh" "$GSORT" "$FAULTS" "$KEYGEN" "$REFERENCE" "${@:2}"
}

@test "failing calls that write the output, over an old file and without O_TMPFILE" {
    walk "pwrite length mode link rename close" replace named-replace
}

# EPERM, EACCES, ENOSYS: AppArmor, SELinux and seccomp.
@test "where linkat is refused, there is another way to give a file its name" {
    enter_directory
    keygen uniform 100003 >in
    reference in >wanted
    for errnum in 1 13 38; do
        for out in new old; do
            echo old >old
            env LD_PRELOAD="$FAULTS" GSORT_FAULT="link $errnum+ 1" GSORT_FAULT_MARK=mark "$GSORT" \
                --device=cpu in -o "$out"
            assert_same wanted "$out"
            rm mark "$out"
            [ -z "$(compgen -G '.gsort-*')" ]
        done
    done
}

# EPERM is what a file system says that keeps no modes.
@test "a call for mode or owner that is told of lost bytes is not ignored" {
    enter_directory
    keygen uniform 100003 >in
    reference in >wanted
    for errnum in 5 28 122; do
        echo old >out

        run -2 --separate-stderr env LD_PRELOAD="$FAULTS" GSORT_FAULT="mode $errnum+ 1" \
            "$GSORT" --device=cpu in -o out
        assert_trouble "gsort: out: write failed"
        [ "$(cat out)" = old ]
        env LD_PRELOAD="$FAULTS" GSORT_FAULT="mode 1+ 1" "$GSORT" --device=cpu in -o out
        assert_same wanted out
        assert_only in out wanted
    done
}

# GSORT_FAULT_BUSY refuses to remove what is open.
@test "a named temporary is removed at an error and by a signal, where it must be closed before" {
    enter_directory
    keygen uniform 100003 >in
    mkdir dir
    mkfifo fifo
    echo old >dir/out
    export GSORT_FAULT_BUSY=1 GSORT_FAULT_NAMED=1
    for direct in '' --direct; do
        run -2 --separate-stderr bash -c 'head -c 4099 in | LD_PRELOAD=$FAULTS "$GSORT" "$@"' \
            bash --device=cpu -o dir/out $direct
        assert_trouble 4099
        [ "$(ls -A dir)" = out ]
        exec 7<>fifo
        env --default-signal LD_PRELOAD="$FAULTS" "$GSORT" --device=cpu $direct fifo -o dir/out \
            7>&- 3>&- &
        GSORT_PID=$!
        cat in >&7
        wait_for compgen -G 'dir/.gsort-*' >/dev/null
        kill -TERM "$GSORT_PID"
        local status=0
        wait "$GSORT_PID" || status=$?
        GSORT_PID=
        exec 7>&-
        [ "$status" -eq 143 ]
        [ "$(ls -A dir)" = out ]
        [ "$(cat dir/out)" = old ]
    done
    # Temporary files lose their name at once: refused, and gone.
    mkdir tmp
    run -2 --separate-stderr bash -c 'cat in in | LD_PRELOAD=$FAULTS "$GSORT" "$@"' bash \
        --device=cpu -S 64K -T tmp -o dir/out
    assert_trouble "tmp: cannot create a temporary file"
    [ -z "$(ls -A tmp)" ]
    [ "$(ls -A dir)" = out ]
}

@test "failing calls that name a new file" {
    walk "link stat" new dangling-link
}

@test "failing calls that start threads and allocate memory" {
    walk "mmap thread" replace
}

@test "failing calls that read and write pipes" {
    walk "read write" pipes
}

@test "failing calls that examine the output's name" {
    walk "stat access readlink" link dangling-link fd-link-file
}

@test "failing calls that map an output sorted in place" {
    walk "length mmap" mapped
}

# with_fault KIND K ARG...: run gsort with its K-th call of this kind failing, exit status in
# `status`; false if it makes fewer such calls.
with_fault()
{
    rm -f mark
    status=0
    env LD_PRELOAD="$FAULTS" GSORT_FAULT="$1 5 $2" GSORT_FAULT_MARK=mark "$GSORT" --device=cpu \
        --parallel=2 "${@:3}" 2>err || status=$?
    [ -e mark ]
}

# told KIND WORD ARG...: fail each call of this kind in turn: at least one failure is reported in a
# line with WORD, and the output is always the old one or the complete new one.
told()
{
    local kind=$1 word=$2 k status seen=0
    shift 2
    for ((k = 1; k <= 40; k++)); do
        echo old >out
        with_fault "$kind" "$k" "$@" || break
        [ "$status" -eq 2 ] || continue
        ! grep -q "out: $word" err || seen=1
        [ "$(cat out)" = old ] || assert_same wanted out
    done
    [ "$seen" = 1 ]
}

@test "a failed write that shows only at close or fsync is reported" {
    enter_directory
    keygen uniform 100003 >in
    reference in >wanted
    told close "write failed" in -o out
    told close "close failed" in -o out
    told sync "fsync failed" --fsync in -o out
    told sync "is complete, but its name" --fsync in -o out
    told sync "is complete, but its directory" --fsync in -o out
    env LD_PRELOAD="$FAULTS" GSORT_FAULT="sync 22 5" "$GSORT" --device=cpu --fsync in -o out
    assert_same wanted out # a directory that cannot be synchronized is no error
}

@test "a failed close of standard output is reported" {
    enter_directory
    keygen uniform 100003 >in
    local k status told=
    for ((k = 1; k <= 40; k++)); do
        with_fault close "$k" in >out || break
        ! grep -q "output: close failed" err || told=$status
    done
    [ "$told" = 2 ]
}

@test "no thread can be started, or only the first few: those sort" {
    enter_directory
    keygen uniform 1000003 >in
    reference in >wanted
    local first
    for first in 1 2 3 4 5; do
        env LD_PRELOAD="$FAULTS" GSORT_FAULT="thread 11+ $first" GSORT_FAULT_MARK=mark \
            "$GSORT" --device=cpu --parallel=5 --progress=always in -o out 2>err
        [ -e mark ]
        assert_same wanted out
        rm mark out
    done
    gsort -S 1M --device=cpu in -o out
    env LD_PRELOAD="$FAULTS" GSORT_FAULT="thread 11+ 2" GSORT_FAULT_MARK=mark \
        "$GSORT" -S 1M --device=cpu --parallel=4 in -o few
    [ -e mark ]
    assert_same wanted few
}

@test "temporary files that need a name lose it before they are used" {
    enter_directory
    keygen uniform 1000003 >in
    reference in >wanted
    mkdir tmp
    mkfifo fifo
    exec 7<>fifo
    env --default-signal LD_PRELOAD="$FAULTS" GSORT_FAULT_NAMED=1 "$GSORT" --device=cpu -S 1M \
        -T tmp fifo -o out 7>&- 3>&- &
    GSORT_PID=$!
    wait_for has_open fifo
    cat in >&7
    wait_for has_open 'tmp/[.]gsort-[0-9a-f]*.*'
    sleep 0.1 # a name exists for microseconds only
    [ -z "$(ls -A tmp)" ]
    exec 7>&-
    wait "$GSORT_PID"
    GSORT_PID=
    assert_same wanted out
    [ -z "$(ls -A tmp)" ]
}

@test "another process creates the output's name at the last moment, once or always" {
    enter_directory
    keygen uniform 100003 >in
    reference in >wanted
    env LD_PRELOAD="$FAULTS" GSORT_FAULT="link 17 2" GSORT_FAULT_MARK=mark "$GSORT" --device=cpu \
        in -o out # EEXIST
    [ -e mark ]
    assert_same wanted out
    rm out mark
    run -2 --separate-stderr env LD_PRELOAD="$FAULTS" GSORT_FAULT="link 17+ 1" \
        GSORT_FAULT_MARK=mark timeout 60 "$GSORT" --device=cpu in -o out
    assert_trouble out "File exists" # gsort does not retry for ever
    assert_only in wanted mark
}

@test "calls that a sandbox refuses throughout" {
    require strace
    if is_expensive; then
        walk refused named-replace pipes
    else
        REFUSALS=1 walk refused named-replace
        REFUSALS=38 walk refused pipes
    fi
}
