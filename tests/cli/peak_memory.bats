# Peak resident memory is at most input and output, 64 MiB, and 1 MiB for each thread.
# SPDX-License-Identifier: MIT

load ../helper

KEYS=8388608 # 32 MiB

# peak_of ARG...: print gsort's peak resident memory in MiB, which includes mapped input and output.
peak_of()
{
    local kib
    kib=$("$PEAK" "$GSORT" --device=cpu "$@") || return
    echo $((kib / 1024))
}

setup()
{
    without_gpu "a GPU's driver has memory of its own"
    require_plain_build
    [ -x "${PEAK:=$ROOT/build/peak}" ] || skip "build/peak is not built"
    enter_directory
}

@test "peak memory of sorting a file" {
    local dist threads option
    for dist in uniform zipf organ-pipe; do
        keygen "$dist" "$KEYS" >in
        for threads in 1 2 16; do
            take_few --parallel="$threads" --reverse --unique --verify
            for option in "${TURNS[@]}"; do
                run -0 peak_of --parallel="$threads" "$option" in -o out
                echo "$dist, $threads threads, $option: $output MiB"
                [ "$output" -le $((32 + 32 + 64 + threads)) ]
            done
        done
    done
}

@test "peak memory of sorting a pipe" {
    keygen uniform "$KEYS" >in
    run -0 peak_of --parallel=2 -o out <in
    [ "$output" -le $((32 + 32 + 64 + 2)) ]
    keygen uniform "$KEYS" | {
        run -0 peak_of --parallel=2 -o out
        [ "$output" -le $((32 + 32 + 64 + 2)) ]
    }
}

@test "peak memory of many pipes is within one -S" {
    keygen uniform 1M >in # 4 MiB
    local i
    local -a pipes=()
    for i in {1..40}; do
        mkfifo "fifo$i"
        cat in >"fifo$i" &
        pipes+=("fifo$i")
    done
    run -0 peak_of -S 32M -T . "${pipes[@]}" -o out
    [ "$output" -le $((32 + 64 + 2)) ]
}

@test "from pipe to pipe, keys are in memory once: peak memory within -S + 16 MiB" {
    mkfifo fifo
    keygen uniform "$KEYS" >in
    reference in >wanted
    for size in 52 34 16; do
        cat fifo >got &
        run -0 --separate-stderr peak_of --parallel=2 --stats=json -S "${size}M" -T . -o fifo \
            < <(cat in)
        wait $!
        assert_same wanted got
        echo "-S ${size}M: $output MiB"
        [ "$output" -le $((size + 16)) ]
        [ "$size" -lt 40 ] || [[ $stderr == *'"temporary_bytes": 0'* ]]
        [ "$size" -gt 40 ] || [[ $stderr == *"\"temporary_bytes\": $((4 * KEYS))"* ]]
    done
}

@test "4 GiB by four threads, where the table of runs takes all that is allowed" {
    require_gigabytes
    [ "$(awk '$1 == "MemAvailable:" { print int($2 / 1048576) }' /proc/meminfo)" -ge 18 ] ||
        skip "needs 18 GiB of memory"
    keygen uniform 1G >in
    run -0 peak_of --parallel=4 in -o out
    echo "file: $output MiB"
    [ "$output" -le $((4096 + 4096 + 64 + 4)) ]
    run -0 peak_of --parallel=4 -o out < <(cat in)
    echo "pipe: $output MiB"
    [ "$output" -le $((4096 + 4096 + 64 + 4)) ]
}
