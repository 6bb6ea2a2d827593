# A call to the system that fails is an error in one line or no harm: the quick part of the walk.
# SPDX-License-Identifier: MIT

load helper

setup()
{
    [ -z "$GSORT_DEVICE" ] || skip "the walk takes --device=cpu"
    [ -e "${FAULTS:-}" ] || skip "FAULTS is not set: make check sets it"
    require_plain_build
}

# walk KINDS MODE...: make check-faults takes all kinds in all modes.
walk()
{
    GSORT_FAULT_KINDS=$1 "$ROOT/tests/faults/walk.sh" "$GSORT" "$FAULTS" "$KEYGEN" "$REFERENCE" \
        "${@:2}"
}

@test "the output's calls, onto an old file and without O_TMPFILE" {
    walk "pwrite length mode link rename close" replace named-replace
}

@test "a new file's name" {
    walk "link stat" new dangling-link
}

@test "threads and memory" {
    walk "mmap thread" replace
}

@test "pipes on both ends" {
    walk "read write" pipes
}

@test "the look at the output's name" {
    walk "stat access readlink" link dangling-link fd-link-file
}

@test "an output that is sorted in the file's memory" {
    walk "length mmap" mapped mapped-ahead
}

# with_fault KIND K ARG...: gsort, whose call number K of that kind fails, and its exit status in
# `status`; false where it makes no such call.
with_fault()
{
    rm -f mark
    status=0
    env LD_PRELOAD="$FAULTS" GSORT_FAULT="$1 5 $2" GSORT_FAULT_MARK=mark "$GSORT" --device=cpu \
        --parallel=2 "${@:3}" 2>err || status=$?
    [ -e mark ]
}

# told KIND WORD ARG...: of the calls of that kind, one fails at a time: that is told by a line with
# the word, at least once, and what is there stays or is new and whole.
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

@test "a write that failed may show only when a file is closed, or synchronized" {
    enter_directory
    keygen uniform 100003 >in
    reference in >wanted
    told close "close failed" in -o out
    told sync "fsync failed" --fsync in -o out
    told sync "is complete, but its name" --fsync in -o out
    told sync "is complete, but its directory" --fsync in -o out
    env LD_PRELOAD="$FAULTS" GSORT_FAULT="sync 22 3" "$GSORT" --device=cpu --fsync in -o out
    assert_same wanted out # a directory that cannot be synchronized: no trouble
}

@test "nor does standard output's close go unheard" {
    enter_directory
    keygen uniform 100003 >in
    local k status told=
    for ((k = 1; k <= 40; k++)); do
        with_fault close "$k" in >out || break
        ! grep -q "output: close failed" err || told=$status
    done
    [ "$told" = 2 ]
}

# OpenMP's library ends the program by itself.
@test "no threads at all, and an output that has a name already: one line, and nothing is left" {
    enter_directory
    keygen uniform 1000003 >in
    mkdir dir
    echo old >dir/out
    local status=0
    env LD_PRELOAD="$FAULTS" GSORT_FAULT_NAMED=1 GSORT_FAULT="thread 11+ 1" GSORT_FAULT_MARK=mark \
        "$GSORT" --device=cpu --parallel=4 in -o dir/out 2>err || status=$?
    [ -e mark ]
    [ "$status" -eq 2 ]
    [ "$(wc -l <err)" -eq 1 ]
    grep -q '^gsort: ' err
    [ "$(cat dir/out)" = old ]
    [ "$(ls -A dir)" = out ]
}

@test "and that line begins where the one that told of progress was erased" {
    enter_directory
    keygen uniform 1000003 >in
    run -2 --separate-stderr env LD_PRELOAD="$FAULTS" GSORT_FAULT="thread 11+ 2" \
        "$GSORT" --device=cpu --parallel=4 --progress=always in -o out
    [[ $stderr == $'\r\e[K'*$'\r\e[Kgsort: libgomp: '* ]]
    [ "${#stderr_lines[@]}" -eq 1 ]
    assert_only in
}

@test "temporary files that must have a name have none left when they are used, and at the end" {
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
    sleep 0.1 # a name is there for microseconds
    [ -z "$(ls -A tmp)" ]
    exec 7>&-
    wait "$GSORT_PID"
    GSORT_PID=
    assert_same wanted out
    [ -z "$(ls -A tmp)" ]
}

@test "somebody puts a file under the name just when it is given, and takes it away" {
    enter_directory
    keygen uniform 100003 >in
    reference in >wanted
    env LD_PRELOAD="$FAULTS" GSORT_FAULT="link 17 1" GSORT_FAULT_MARK=mark "$GSORT" --device=cpu \
        in -o out # EEXIST
    [ -e mark ]
    assert_same wanted out
    rm out mark
    run -2 --separate-stderr env LD_PRELOAD="$FAULTS" GSORT_FAULT="link 17+ 1" \
        GSORT_FAULT_MARK=mark timeout 60 "$GSORT" --device=cpu in -o out
    assert_trouble out "File exists" # not for ever
    assert_only in wanted mark
}
