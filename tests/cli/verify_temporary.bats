# --verify detects keys that have changed in a temporary file.
# SPDX-License-Identifier: MIT

load ../helper

# Print the temporary files of the run as paths that can be opened.
temporary_files()
{
    find "/proc/$GSORT_PID/fd" -lname "$PWD/tmp/*(deleted)" 2>/dev/null | grep .
}

# has_keys FILE: it begins with keys, not just with allocated zeros.
has_keys()
{
    [ "$(head -c 4096 "$1" | tr -d '\0' | wc -c)" -gt 3000 ]
}

# changed ARG...: sort a pipe; change keys in a temporary file before the pipe ends. gsort's exit
# status is in STATUS.
changed()
{
    local file
    exec 7<>fifo
    start -S 1M -T tmp "$@" fifo 2>err 7>&-
    wait_for has_open fifo
    cat in >fifo
    wait_for temporary_files >files
    file=$(head -n 1 files)
    wait_for has_keys "$file"
    head -c 4096 /dev/zero | dd of="$file" conv=notrunc status=none
    exec 7>&-
    STATUS=0
    wait "$GSORT_PID" || STATUS=$?
    GSORT_PID=
}

setup()
{
    enter_directory
    [ -r "/proc/$$/fd" ] || skip "no /proc here"
    keygen uniform 2000003 >in
    mkdir tmp dir
    mkfifo fifo
    echo old >dir/out
}

# caught: the last run has reported the change.
caught()
{
    [ "$STATUS" -eq 2 ]
    [ "$(wc -l <err)" -eq 1 ]
    grep -q '^gsort: .*verify: ' err
    [ -z "$(ls -A tmp)" ]
}

@test "a changed temporary file is detected, and -o keeps the old output" {
    changed -o dir/out
    [ "$STATUS" -eq 0 ] # so there is a change to detect
    cp in sane
    gsort sane -o sane
    run ! cmp -s sane dir/out
    echo old >dir/out
    changed --verify -o dir/out
    caught
    [ "$(cat dir/out)" = old ]
    assert_only in sane tmp dir dir/out fifo err files
}

@test "a changed temporary file is detected with output to a file and to a pipe" {
    changed --verify >got
    caught
    changed --verify > >(cat >got)
    caught
    changed --verify -r -u >>got
    caught
}
