#!/bin/bash
# torture.sh -- sort random sizes and distributions with random options and faults until time is up
# SPDX-License-Identifier: MIT
#
# usage: tests/faults/torture.sh GSORT SHIM KEYGEN REFERENCE MINUTES [SEED]    from make torture
#
# The runs are sorts in memory and through temporary files, by the shared-memory engines too, and
# merges, with random inputs and outputs, of keys, records and .npy files, and sorts by ranks where
# GSORT_MPI is set. Each output is compared with the reference's. A run without an injected fault
# must succeed; one with a fault may be refused instead, with status 2, one line and the old output;
# so may one whose first input somebody overwrites meanwhile, or its output has to be in order. A
# bad run prints its seed: MINUTES=0 SEED=... repeats and describes it. Needs about 100 MB under
# TMPDIR. Exit status: 0 if no run was bad.
set -u
export LC_ALL=C

[ "$#" -ge 5 ] || {
    sed -n '/^# usage/s/^# //p' "$0" >&2
    exit 2
}
for part in alike npy points resume ranks writer answers; do
    # shellcheck source=/dev/null
    . "$(dirname "$0")/torture_$part.bash"
done
GSORT=$(realpath "$1") SHIM=$(realpath "$2") KEYGEN=$(realpath "$3") REFERENCE=$(realpath "$4")
minutes=$5
seed=${6:-$SRANDOM}
# Copy the shim, since ld.so ends a name in LD_PRELOAD at a space or a colon.
dir=$(mktemp -d) && cp "$SHIM" "$dir/shim.so" && SHIM=$dir/shim.so &&
    mkdir -p "$dir/work" "$dir/tmp/1" "$dir/tmp/2" && cd "$dir/work" || exit 2
trap 'rm -rf "$dir"' EXIT
export GSORT_FAULT_MARK=$dir/mark TMPDIR=$dir/tmp/1
mapfile -t dists < <("$KEYGEN" --list | awk '$1 !~ /^(gray|paths|alike)$/ { print $1 }')
devices=(auto cpu)
if "$GSORT" --device=gpu </dev/null >/dev/null 2>&1; then
    devices+=(gpu)
fi
# KIND and HOW of GSORT_FAULT, see tests/faults/shim.c.
faults=("open 5" "open 24+" "stat 5" "access 5" "readlink 5" "fcntl 24" "seek 5" "mmap 12"
    "mmap 12+" "madvise 22" "read 5" "read 4" "read short+" "pread 5" "pread short+" "write 5"
    "write 28+" "write short+" "pwrite 5" "pwrite 28+" "pwrite short+" "pwrite 4" "length 28"
    "length 95+" "sync 5" "mode 1" "link 5" "link 17" "rename 5" "close 5" "random 38+"
    "malloc 12" "malloc 12+" "thread 11" "thread 11+")

one_of()
{
    local -a list=("$@")
    REPLY=${list[RANDOM % $#]}
}

chance() # PERCENT
{
    [ $((RANDOM % 100)) -lt "$1" ]
}

# Draw a size from 0 to some millions, uniform on a logarithmic scale.
draw_size()
{
    local bits=$((RANDOM % 22))
    REPLY=$(((1 << bits) + (RANDOM << 15 | RANDOM) % (1 << bits) - RANDOM % 2))
}

# Draw a shared-memory engine and its number of lists, if the keys are few enough for it.
draw_engine()
{
    if [ "$(cat "${files[@]}" | wc -c)" -le $((4 * 38656)) ]; then
        one_of atomicmin reduction hybrid
        options+=("--engine=$REPLY")
        chance 50 && options+=("--lists=$((1 << RANDOM % 9))")
    else
        options+=(--engine=samplesort)
    fi
}

# Make the run a merge: sort each input; a pipe brings only the first.
draw_merge()
{
    local file
    options+=(-m)
    [ "$input" != pipe ] || files=(in0)
    for file in "${files[@]}"; do
        "$REFERENCE" "${reference_options[@]}" "$file" >../part && mv ../part "$file"
    done
}

# Make the run one of records of `bytes` bytes, of which the first 4 are the key, or of records that
# are nearly all alike. (gray and paths have records of their own.)
draw_records()
{
    one_of 17 24 40 100 1000
    bytes=$REPLY
    reference_options=(-k 0:u32)
    ! chance 30 || draw_points
    ! chance 50 || draw_alike
    ! chance 50 || draw_single
    keygen_options+=("--record=$bytes")
    reference_options+=(-R "$bytes")
    [ "$least" -gt 0 ] || ! chance 30 || reference_options+=(-s)
    [ -z "$alike" ] || ! chance 15 || reference_options+=("--argsort=u$((32 << RANDOM % 2))")
    options=("${reference_options[@]}")
    [ "$least" -eq 0 ] || options+=(-S 1M)
    return 0
}

# Make the first input one of keys that come often, more than tables have room for: so they are
# combined in temporary files.
draw_many()
{
    one_of narrow clusters high-bits low-entropy sawtooth zipf
    "$KEYGEN" "$REPLY" $((1000000 + RANDOM * 30)) --seed=$((RANDOM % 1000)) >in0
    options+=(-u -S "$((1 + RANDOM % 5))M") reference_options+=(-u)
}

# Draw one run: files, options, reference_options, keygen_options, input, output, environment,
# may_fail.
draw_run()
{
    local i bytes=4
    rm -rf ./* .[!.]* ../mark
    files=() options=() reference_options=() keygen_options=() environment=() may_fail=0
    npy_type='' alike='' least=0
    chance 25 && draw_records
    for ((i = 0; i == 0 || i < 4 && RANDOM % 3 == 0; i++)); do
        draw_size
        local n=$((REPLY * 4 / bytes))
        [ "$n" -ge "$least" ] || n=$least
        one_of "${dists[@]}"
        REPLY=${alike:-$REPLY}
        "$KEYGEN" "$REPLY" "$n" "${keygen_options[@]}" --seed=$((RANDOM % 1000)) >"in$i"
        files+=("in$i")
    done
    [ "$bytes:$alike" != 4: ] || chance 95 || draw_many
    [ "$bytes:$alike" != 4: ] || chance 85 || draw_npy
    chance 30 && options+=(-r) && reference_options+=(-r)
    chance 30 && options+=(-u) && reference_options+=(-u)
    [[ ${options[*]} == *--argsort* ]] || chance 70 || options+=(--verify)
    chance 20 && options+=("--bins=$((1 + RANDOM % 4096))")
    chance 20 && options+=("--samples=$((1 + RANDOM))")
    chance 50 && options+=("--parallel=$((1 + RANDOM % 6))")
    [ "$bytes:$alike" = 4: ] && chance 20 && draw_engine
    chance 10 && options+=(--fsync)
    chance 15 && options+=(--direct)
    chance 30 && options+=(-T "$dir/tmp/1")
    chance 20 && options+=(-T "$dir/tmp/2")
    chance 30 && options+=(-S "$((1 << RANDOM % 18))K")
    one_of "${devices[@]}"
    local device=$REPLY
    [ "$bytes:$alike" = 4: ] || [ "$device" != gpu ] || device=cpu
    if [ "$least" -eq 0 ] && chance 40; then
        [ "${#devices[@]}" -eq 2 ] || device=cpu # make inject-gpu tests faults in CUDA calls
        one_of "${faults[@]}"
        environment=(LD_PRELOAD="$SHIM" GSORT_FAULT="$REPLY $((1 + RANDOM % (1 << RANDOM % 8)))")
        chance 20 && environment+=(GSORT_FAULT_NAMED=1)
        may_fail=1
    fi
    options+=("--device=$device")
    one_of names pipe file
    input=$REPLY
    one_of new old in-place pipe redirect
    output=$REPLY
    [ "$input:$output" != pipe:in-place ] || output=old
    [ -z "$npy_type" ] || fit_npy
    if [[ ${reference_options[*]} == *--argsort* ]]; then
        [ "$output" != in-place ] || output=new
    elif chance 15; then
        draw_merge
    fi
    if [[ -z $npy_type && ${reference_options[*]} != *--argsort* ]] && chance 20; then
        one_of --count=u64 --count=u32 --repeated --single
        options+=("$REPLY") && reference_options+=("$REPLY")
    fi
    return 0
}

# Make the run: set `status`, and leave standard error in ../err.
run_it()
{
    local -a command=(timeout -k 5 300 env "${environment[@]}" "$GSORT" "${options[@]}")
    [ "$output" != old ] || echo old >out
    [ "$output" != in-place ] || cp in0 out
    case $output in
    new | old) command+=(-o out) ;;
    in-place) command+=(-o out) && files[0]=out ;;
    esac
    case $input:$output in
    names:pipe) "${command[@]}" "${files[@]}" 2>../err | cat >out ;;
    names:redirect) "${command[@]}" "${files[@]}" >out 2>../err ;;
    names:*) "${command[@]}" "${files[@]}" 2>../err ;;
    pipe:pipe) cat "${files[@]}" | "${command[@]}" 2>../err | cat >out ;;
    pipe:redirect) cat "${files[@]}" | "${command[@]}" >out 2>../err ;;
    pipe:*) cat "${files[@]}" | "${command[@]}" 2>../err ;;
    file:pipe) "${command[@]}" - "${files[@]:1}" <"${files[0]}" 2>../err | cat >out ;;
    file:redirect) "${command[@]}" - "${files[@]:1}" <"${files[0]}" >out 2>../err ;;
    file:*) "${command[@]}" - "${files[@]:1}" <"${files[0]}" 2>../err ;;
    esac
    local -a all=("${PIPESTATUS[@]}")
    [ "$input" != pipe ] || all=("${all[@]:1}") # without the status of cat
    status=${all[0]}
}

# Print what is wrong with the run, or nothing.
judge()
{
    local lines file
    lines=$(wc -l <../err)
    for file in * .[!.]*; do
        case $file in
        in[0-9] | out | '.[!.]*') ;;
        *) echo "left behind: $file" ;;
        esac
    done
    case $status in
    0)
        cmp ../wanted out 2>&1
        [ "$answer" != offsets ] || cmp ../wanted-offsets ../offsets 2>&1
        # A warning that a GPU could not be used is allowed, or that what was kept could not.
        [ "$lines" -eq 0 ] || grep -q 'sorting on the CPU\|in part damaged' ../err ||
            echo "says: $(cat ../err)"
        ;;
    2)
        [ "$may_fail" = 1 ] || echo "refused: $(cat ../err)"
        [ "$lines" -eq 1 ] || echo "$lines lines: $(cat ../err)"
        case $output in
        new) [ ! -e out ] || cmp ../wanted out 2>&1 ;;
        old) echo old | cmp -s - out || cmp ../wanted out 2>&1 ;;
        in-place) cmp -s in0 out || cmp ../wanted out 2>&1 ;;
        pipe) cmp -n "$(stat -c %s out)" ../wanted out 2>&1 ;;
        esac
        ;;
    *) echo "status $status: $(cat ../err)" ;;
    esac
    file=$(find ../tmp -mindepth 2)
    [ -z "$file" ] || echo "left in a directory for temporaries: $file"
}

echo "torture: seed $seed"
end=$((EPOCHSECONDS + 60 * minutes))
runs=0 merges=0 alikes=0 arrays=0 ranked=0 resumed=0 refused=0 injected=0 rewritten=0 bad=0
answers=0
while :; do
    RANDOM=$((seed & 0x7fffffff)) # makes every draw repeatable
    draw_run
    draw_resume
    draw_ranks
    draw_answer
    want
    [ -z "$npy_type" ] || wrap_npy
    writer_start
    kill_often 2>/dev/null # the shell tells of each kill
    if [ "$ranks" -gt 0 ]; then run_ranks; else run_it; fi
    writer_stop
    what=$(judge)
    runs=$((runs + 1)) ranked=$((ranked + (ranks > 0))) resumed=$((resumed + resumes))
    alikes=$((alikes + (${#alike} > 0))) answers=$((answers + (${#answer} > 0)))
    [ -z "$npy_type" ] || arrays=$((arrays + 1))
    [[ " ${options[*]} " != *" -m "* ]] || merges=$((merges + 1))
    [ "$status" -eq 0 ] || refused=$((refused + 1))
    [ "$writer" -eq 0 ] || rewritten=$((rewritten + 1))
    [ ! -e ../mark ] || injected=$((injected + 1))
    if [ -n "$what" ] || [ "$minutes" -eq 0 ]; then
        echo "seed $seed: ${environment[*]} ${way:+$ranks ranks $way ${odd:+(one $odd) }}gsort" \
            "${options[*]} ${files[*]} ($input to $output)," \
            "status $status: ${what:-good}"
    fi
    [ -z "$what" ] || bad=$((bad + 1))
    seed=$((seed + 1))
    [ "$EPOCHSECONDS" -lt "$end" ] || break
done
echo "torture: $runs runs, $merges of them merges, $alikes of records alike, $arrays of .npy," \
    "$ranked by ranks, $resumed resumed, $injected with a fault, $rewritten rewritten meanwhile," \
    "$answers asked for more, $refused refused, $bad bad"
[ "$bad" -eq 0 ]
