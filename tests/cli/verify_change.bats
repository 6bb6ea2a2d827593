# --verify detects an input that changes while it is sorted, and the old output stays.
# SPDX-License-Identifier: MIT

load ../helper

# gsort maps the first file, waits for the second, a FIFO, and only then sorts. While it waits, the
# first file changes. Either the new bytes are sorted and verified, or the change is detected.
@test "an input overwritten during the run is sorted as it is now, or detected" {
    mkfifo fifo
    mkdir dir
    keygen uniform 500000 >in
    echo old >dir/out
    exec 7<>fifo
    start --verify in fifo -o dir/out 2>err 7>&-
    keygen uniform 100 --seed=2 | tee tail >&7
    wait_for has_open fifo
    keygen uniform 500000 --seed=3 | dd of=in conv=notrunc status=none
    exec 7>&-
    local status=0
    wait "$GSORT_PID" || status=$?
    GSORT_PID=
    [ "$(ls -A dir)" = out ]
    if [ "$status" -eq 0 ]; then
        reference in tail >wanted
        assert_same wanted dir/out
    else
        [ "$status" -eq 2 ]
        [ "$(cat dir/out)" = old ]
        [ "$(wc -l <err)" -eq 1 ]
    fi
}
