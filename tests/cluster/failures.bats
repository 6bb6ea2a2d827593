# When a rank fails or dies, no file appears under the output's name, and nothing is left behind.
# SPDX-License-Identifier: MIT

load ranks

setup()
{
    enter_ranks
}

# A pipe that stays open keeps rank 0 reading, with the temporary file yet to come; so ranks are
# stopped instead when they have it.
# begin ARG...: start 3 ranks in the background; wait until they have their temporary file.
begin()
{
    setsid "$MPIRUN" -n 3 "$GSORT_MPI" "$@" <&0 3>&- &
    MPIRUN_PID=$!
    wait_for test -n "$(compgen -G '.gsort-*' || true)"
}

# rank_pids: print the process ids of the ranks.
rank_pids()
{
    pgrep -s "$(ps -o sid= -p "$MPIRUN_PID" | tr -d ' ')" -x gsort-mpi || pgrep -f "^$GSORT_MPI"
}

@test "a full disk" {
    mkdir small
    mount -t tmpfs -o size=1m tmpfs small 2>/dev/null || skip "no tmpfs can be mounted here"
    keygen uniform 1M >in
    run --separate-stderr ranks 3 in -o small/out
    ls -A small >left
    umount small
    assert_one_line small/out
    [ ! -s left ]
}

@test "a full disk for one rank's temporary files" {
    mkdir small
    mount -t tmpfs -o size=256k tmpfs small 2>/dev/null || skip "no tmpfs can be mounted here"
    keygen uniform 4M >in
    run --separate-stderr ranks 3 -S 2M -T small in -o out
    umount small
    assert_one_line small
    assert_only in small
}
