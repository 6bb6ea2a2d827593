# An input that shrinks while it is mapped gives status 2 and one line; the old output stays.
# SPDX-License-Identifier: MIT

load ../helper

# Truncate the input `in` when gsort has mapped it and waits for its other input, a FIFO.
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

@test "an input truncated to nothing, with -o" {
    cut_off_under_way in fifo -o dir/out
}

@test "an input truncated to nothing, sorted by one thread" {
    cut_off_under_way --parallel=1 in fifo -o dir/out
}

@test "an input truncated to nothing, behind a pipe" {
    cut_off_under_way fifo in -o dir/out
}

@test "an input truncated to nothing, in a merge" {
    dist=sorted cut_off_under_way -m in fifo -o dir/out
    run ! grep disorder err
}

@test "an input truncated at 12 moments of a run: never a wrong output" {
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
            # Either gsort had read everything in time, or it started with the truncated file.
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

@test "an input truncated to nothing with SIGBUS ignored: reported, and no hang" {
    require_plain_build # a sanitizer handles SIGBUS before the program does
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
