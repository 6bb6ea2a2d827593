# In a control group with a memory limit, -S and little more are enough, on a disk of any speed.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "a GPU's driver has memory of its own"
    require_plain_build
    enter_directory
    require_control_group memory
}

# Set `now` to how many MiB of file pages the group cannot give back now: dirty, or being written
# back. (By the shell alone: a process every 10 ms would take as long as the sort.)
look_waiting()
{
    local name value sum=0
    while read -r name value; do
        [[ ! $name =~ ^(file_)?(dirty|writeback)$ ]] || sum=$((sum + value))
    done <"$GROUP/memory.stat"
    now=$((sum >> 20))
}

# limit_waiting MIB MOST COMMAND...: as limit_to, and never more than MOST MiB wait for the disk.
limit_waiting()
{
    local now most=0 status=0
    limit_to "$1" "${@:3}" 3>&- &
    while kill -0 $! 2>/dev/null; do
        look_waiting
        [ "$now" -le "$most" ] || most=$now
        sleep 0.01
    done
    wait $! || status=$?
    echo "at most $most MiB waited for the disk"
    [ "$status" -eq 0 ] && [ "$most" -le "$2" ]
}

@test "inputs larger than -S, from a file and from a pipe, by few threads and by many" {
    keygen uniform 26M >in # 104 MiB
    "$GSORT" in -o wanted
    for from in file pipe; do
        take_turns 2 16
        for threads in "${TURNS[@]}"; do
            # 10 MiB less than -S + 64 MiB.
            if [ "$from" = file ]; then
                limit_waiting 86 40 "$GSORT" --device=cpu --parallel="$threads" -S 32M -T . in \
                    -o got
            else
                # shellcheck disable=SC2002  # a pipe is what is tested
                cat in | limit_to 86 "$GSORT" --device=cpu --parallel="$threads" -S 32M -T . -o got
            fi
            assert_same wanted got
        done
    done
}

@test "sorts in memory and merges, within the group's limit" {
    keygen uniform 24M >in # 96 MiB
    "$GSORT" in -o wanted
    # The keys and their copy leave little of this for the output.
    limit_waiting 256 70 "$GSORT" --device=cpu -S 200M in -o got
    assert_same wanted got
    limit_waiting 64 40 "$GSORT" -m -S 16M wanted wanted -u -o got
    "$GSORT" -u wanted -o unique
    assert_same unique got
    mkfifo keys # more than half of -S goes to a temporary file
    cat wanted >keys &
    limit_waiting 64 40 "$GSORT" -m -S 16M -T . keys -o got
    assert_same wanted got
    # The default for -S, all that the group allows; pages that waited before are still in it.
    limit_to 300 "$GSORT" --device=cpu -o got <in
    assert_same wanted got
}

@test "without -S, an output on tmpfs counts as memory, for a pipe and for a file" {
    keygen uniform 40M >in # 160 MiB
    "$GSORT" in -o wanted
    mount_memory memory 300m
    for from in file pipe; do
        take_turns 2 8
        for threads in "${TURNS[@]}"; do
            if [ "$from" = file ]; then
                limit_to 312 "$GSORT" --device=cpu --parallel="$threads" -T . in >memory/got
            else
                # shellcheck disable=SC2002  # a pipe is what is tested
                cat in | limit_to 500 "$GSORT" --device=cpu --parallel="$threads" -T . -o memory/got
            fi
            assert_same wanted memory/got
            rm memory/got
        done
    done
}

@test "without -S, keys of a pipe take nearly all memory, to a file and to a pipe" {
    keygen uniform 26M >in # 104 MiB
    "$GSORT" in -o wanted
    take_few 2 16
    for threads in "${TURNS[@]}"; do
        take_few 130 156 182 260
        for mib in "${TURNS[@]}"; do
            # shellcheck disable=SC2002  # a pipe is what is tested
            cat in | limit_to "$mib" "$GSORT" --device=cpu --parallel="$threads" -T . -o got
            assert_same wanted got
        done
    done
    take_turns 16 2
    for threads in "${TURNS[@]}"; do
        # shellcheck disable=SC2002
        cat in | limit_to 182 "$GSORT" --device=cpu --parallel="$threads" -T . | cat >got
        assert_same wanted got
    done
}

@test "an I/O error while gsort waits for write-back is reported" {
    [ -e "${FAULTS:-}" ] || skip "FAULTS is not set: make check sets it"
    keygen uniform 40M >in
    echo old >out
    run -2 --separate-stderr limit_to 86 env LD_PRELOAD="$FAULTS" GSORT_FAULT="sync 5 3" \
        "$GSORT" --device=cpu -S 32M -T . in -o out
    assert_trouble "write failed: Input/output error"
    [ "$(cat out)" = old ]
    assert_only in out
}
