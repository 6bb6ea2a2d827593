# A control group that kills what takes more: -S and little beside it are enough, on any disk.
# SPDX-License-Identifier: MIT

load helper

setup()
{
    without_gpu "a GPU's driver has memory of its own"
    require_plain_build
    enter_directory
    require_control_group memory
}

# MiB of files' pages that the group cannot give back now: dirty, or on their way to the disk.
waiting()
{
    awk '/^(dirty|writeback|file_dirty|file_writeback) / { sum += $2 }
        END { print int(sum / 2^20) }' "$GROUP/memory.stat"
}

# limit_waiting MIB MIB COMMAND...: as limit_to, and never more than so many MiB wait for the disk.
limit_waiting()
{
    local now most=0 status=0
    limit_to "$1" "${@:3}" 3>&- &
    while kill -0 $! 2>/dev/null; do
        now=$(waiting)
        [ "$now" -le "$most" ] || most=$now
    done
    wait $! || status=$?
    echo "at most $most MiB waited for the disk"
    [ "$status" -eq 0 ] && [ "$most" -le "$2" ]
}

@test "larger than -S, from a file and from a pipe, by a few threads and by many" {
    keygen uniform 40M >in # 160 MiB
    "$GSORT" in -o wanted
    for threads in 2 16; do
        # 10 MiB less than -S and 64 MiB.
        limit_waiting 86 40 "$GSORT" --device=cpu --parallel="$threads" -S 32M -T . in -o got
        assert_same wanted got
        # shellcheck disable=SC2002  # a pipe is what is tested
        cat in | limit_to 86 "$GSORT" --device=cpu --parallel="$threads" -S 32M -T . -o got
        assert_same wanted got
    done
}

@test "in memory, and merged" {
    keygen uniform 24M >in # 96 MiB
    "$GSORT" in -o wanted
    # What is sorted, and the copy, leave little of this for the output.
    limit_waiting 256 70 "$GSORT" --device=cpu -S 200M in -o got
    assert_same wanted got
    limit_waiting 64 40 "$GSORT" -m -S 16M wanted wanted -u -o got
    "$GSORT" -u wanted -o unique
    assert_same unique got
    mkfifo keys # beyond a half of -S it goes to a temporary file
    cat wanted >keys &
    limit_waiting 64 40 "$GSORT" -m -S 16M -T . keys -o got
    assert_same wanted got
    # As much as the group allows; what waited before is in it yet.
    limit_to 300 "$GSORT" --device=cpu -o got <in
    assert_same wanted got
}

@test "without -S an output in memory counts, of a pipe's keys and of a file's" {
    keygen uniform 64M >in # 256 MiB
    "$GSORT" in -o wanted
    mount_memory memory 300m
    for threads in 2 8; do
        # shellcheck disable=SC2002  # a pipe is what is tested
        cat in | limit_to 800 "$GSORT" --device=cpu --parallel="$threads" -T . -o memory/got
        assert_same wanted memory/got
        rm memory/got
        limit_to 500 "$GSORT" --device=cpu --parallel="$threads" -T . in >memory/got
        assert_same wanted memory/got
        rm memory/got
    done
}

@test "without -S a pipe's keys that take nearly all there is, to a file and to a pipe" {
    keygen uniform 40M >in # 160 MiB
    "$GSORT" in -o wanted
    for threads in 2 16; do
        for mib in 200 240 280 400; do
            # shellcheck disable=SC2002  # a pipe is what is tested
            cat in | limit_to "$mib" "$GSORT" --device=cpu --parallel="$threads" -T . -o got
            assert_same wanted got
        done
        # shellcheck disable=SC2002
        cat in | limit_to 280 "$GSORT" --device=cpu --parallel="$threads" -T . | cat >got
        assert_same wanted got
    done
}

@test "what the disk says while it is waited for is an error" {
    [ -e "${FAULTS:-}" ] || skip "FAULTS is not set: make check sets it"
    keygen uniform 40M >in
    echo old >out
    run -2 --separate-stderr limit_to 86 env LD_PRELOAD="$FAULTS" GSORT_FAULT="sync 5 3" \
        "$GSORT" --device=cpu -S 32M -T . in -o out
    assert_trouble "write failed: Input/output error"
    [ "$(cat out)" = old ]
    assert_only in out
}
