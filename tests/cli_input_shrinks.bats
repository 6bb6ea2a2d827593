# An input that shrinks while it is mapped: status 2, a line, the old output intact.
# SPDX-License-Identifier: MIT

load helper

# The sort waits for its second input, a FIFO, when the first, mapped already, is cut off.
cut_off_under_way()
{
    mkfifo fifo
    keygen "${dist:-uniform}" 1000000 >in
    mkdir dir
    echo old >dir/out
    exec 7<>fifo
    start "$@" 2>err 7>&-
    keygen sorted 100 >&7
    wait_for has_open fifo
    : >in
    exec 7>&-
    local status=0
    wait "$GSORT_PID" || status=$?
    GSORT_PID=
    [ "$status" -eq 2 ] || {
        echo "status $status: $(cat err)" >&2
        return 1
    }
    [ "$(wc -l <err)" -eq 1 ]
    grep -q '^gsort: ' err
    [ "$(cat dir/out)" = old ]
    [ "$(ls -A dir)" = out ]
}

@test "cut to nothing, -o" {
    cut_off_under_way in fifo -o dir/out
}

@test "cut to nothing, sorting by one thread" {
    cut_off_under_way --parallel=1 in fifo -o dir/out
}

@test "cut to nothing, the pipe first" {
    cut_off_under_way fifo in -o dir/out
}

@test "cut to nothing, merging" {
    dist=sorted cut_off_under_way -m in fifo -o dir/out
    run ! grep disorder err
}

@test "cut at random moments of a run: never a wrong output" {
    keygen uniform 4000000 >in.old
    reference in.old >wanted
    mkdir dir
    local status failed=0
    for ((i = 0; i < 12; i++)); do
        cp in.old in
        echo old >dir/out
        start in -o dir/out 2>err
        sleep "$(printf '0.%03d' $((i * 6)))"
        truncate -s 4096 in
        status=0
        wait "$GSORT_PID" || status=$?
        GSORT_PID=
        [ "$(ls -A dir)" = out ]
        if [ "$status" -eq 0 ]; then
            # Either all was read in time, or gsort came when the file was short already.
            cmp -s wanted dir/out || [ "$(wc -c <dir/out)" -eq 4096 ]
        else
            [ "$status" -eq 2 ]
            [ "$(cat dir/out)" = old ]
            [ "$(wc -l <err)" -eq 1 ]
            failed=$((failed + 1))
        fi
    done
    echo "failed as they should: $failed of 12"
}

@test "cut to nothing where SIGBUS was ignored: told all the same, and never waited for" {
    require_plain_build # a sanitizer takes SIGBUS before the program
    mkfifo fifo
    keygen uniform 1000000 >in
    echo old >out
    exec 7<>fifo
    env --default-signal --ignore-signal=BUS "$GSORT" --device=cpu in fifo -o out 2>err 7>&- 3>&- &
    GSORT_PID=$!
    keygen sorted 100 >&7
    wait_for has_open fifo
    : >in
    exec 7>&-
    wait_for has_ended
    local status=0
    wait "$GSORT_PID" || status=$?
    GSORT_PID=
    [ "$status" -eq 2 ]
    [ "$(cat err)" = "gsort: in: file shrank while it was being sorted" ]
    [ "$(cat out)" = old ]
}
