# When a rank fails or dies, no file appears under the output's name, and nothing is left behind.
# SPDX-License-Identifier: MIT

load ranks

setup()
{
    enter_ranks
}

# begin: start 3 ranks in the background, which take several seconds, since a signal may reach them
# late where they keep all processors busy; wait until they write.
begin()
{
    keygen uniform 96M >in
    "$MPIRUN" -n 3 "$GSORT_MPI" --apart -S 4M in -o out 2>said 3>&- &
    MPIRUN_PID=$!
    wait_for writes
}

# begin_one: the same, of which the first sorts for all, and waits for the end of its input.
begin_one()
{
    rm -f in
    mkfifo in
    exec 7<>in
    "$MPIRUN" -n 3 "$GSORT_MPI" in -o out 2>said 3>&- 7>&- &
    MPIRUN_PID=$!
    keygen uniform 1M >in
    wait_for writes
}

# end_input: what began by begin_one may end.
end_input()
{
    exec 7>&-
}

# writes: do the ranks have their temporary file, with a name or without?
writes()
{
    local pid
    compgen -G '.gsort-*' >/dev/null && return 0
    for pid in $(print_ranks); do
        readlink "/proc/$pid/fd/"* 2>/dev/null | grep -qF "$PWD/#" && return 0
    done
    return 1
}

# print_ranks: the process ids of the ranks that work in this directory.
print_ranks()
{
    local pid
    for pid in $(pgrep -x gsort-mpi); do
        [ "$(readlink "/proc/$pid/cwd")" != "$PWD" ] || echo "$pid"
    done
}

# none_left: no rank runs.
none_left()
{
    [ -z "$(print_ranks)" ]
}

# end_in_trouble: wait until mpirun ends, not with 0, and all ranks with it.
end_in_trouble()
{
    local code=0
    wait "$MPIRUN_PID" || code=$?
    [ "$code" -ne 0 ]
    wait_for none_left
}

@test "a full disk" {
    keygen uniform 1M >in
    assert_full 1m small/out ranks 3 in -o small/out
}

@test "a full disk where the first one sorts for all" {
    keygen uniform 1M >in
    assert_full 1m small/out ranks_of_host 3 in -o small/out
}

@test "a full disk where ranges are sorted in the output's own memory" {
    keygen uniform 18M >in
    assert_full 40m small/out ranks 2 --bins=16 --parallel=1 in -o small/out
}

@test "a full disk for one rank's temporary files" {
    keygen uniform 4M >in
    assert_full 256k small ranks 3 -S 2M -T small in -o out
    assert_only in small
}

# kill_last: as if the last rank had crashed.
kill_last()
{
    kill -9 "$(print_ranks | tail -n 1)"
}

@test "a rank that is killed" {
    begin
    kill_last
    end_in_trouble
    [ ! -e out ]
    # MPICH's mpirun kills the others in the same way, so that nobody can remove the temporary file.
    [ "$MPI" = mpich ] || assert_only in said
}

@test "a rank that is killed while the first one sorts for all, which then ends" {
    begin_one
    kill_last
    end_input
    end_in_trouble
    assert_only in said
}

@test "SIGTERM to one rank, the first or the last" {
    for how in begin begin_one; do
        for which in head tail; do
            "$how"
            kill "$(print_ranks | "$which" -n 1)"
            run ! wait "$MPIRUN_PID"
            wait_for none_left
            assert_only in said
        done
    done
}

@test "SIGTERM to mpirun" {
    for how in begin begin_one; do
        "$how"
        kill "$MPIRUN_PID"
        wait "$MPIRUN_PID" || true # MPICH's ends with 0
        wait_for none_left
        assert_only in said
    done
}

@test "an input that shrinks" {
    begin
    truncate -s 4 in
    end_in_trouble
    grep -q "^gsort-mpi: in: " said
    assert_only in said
}
