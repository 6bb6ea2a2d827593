#!/bin/bash
# inject_gpu.sh -- make each CUDA call fail: exit 2 with one line, or right bytes; nothing left over
# SPDX-License-Identifier: MIT
#
# usage: tests/gpu/inject_gpu.sh GSORT KEYGEN REFERENCE GPU_FILE
# from make inject-gpu DEBUG=1, with a GPU
#
# GSORT is a debug build. Each walk sorts the same keys again and again, with CUDA call number 1, 2,
# ... failing: alone, with an out-of-memory error, or with all later calls (a lost device). With
# --device=gpu, gsort must give the right bytes, or exit 2 with one line and keep the old output;
# with --device=auto, it must give the right bytes and at most one line, a warning. JOBS runs are
# made in parallel (default: a quarter of the processors), STEP=N takes every N-th call, ONLY=NAME
# one walk. The last walks have GPU_FILE, which makes the library's calls, for GSORT. Exit status: 0
# if nothing else happened, and each walk had failures.
set -u -o pipefail
export LC_ALL=C

usage="usage: inject_gpu.sh GSORT KEYGEN REFERENCE GPU_FILE"
GSORT=$(realpath "${1:?$usage}")
keygen=$(realpath "${2:?$usage}")
reference=$(realpath "${3:?$usage}")
gpu_file=$(realpath "${4:?$usage}")
jobs=${JOBS:-$(($(nproc) / 4))}
[ "$jobs" -ge 1 ] || jobs=1
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
export GSORT work
unset GSORT_FAIL_GPU GSORT_FAIL_GPU_MEMORY GSORT_FAIL_GPU_LOST GSORT_FAIL_GPU_LOG
unset GSORT_GPU_IS_FREE

# complain WHERE WHAT: print a complaint, and keep the line for the count at the end.
complain()
{
    printf 'inject_gpu: %s: %s\n' "$1" "$2" | tee -a "$work/complaints" >&2
}

# judge WHERE DEVICE STATUS: check what a run has left in the current directory.
judge()
{
    local where=$1 device=$2 status=$3 lines
    lines=$(wc -l <stderr)
    if [ "$status" -eq 0 ]; then
        cmp -s out "$wanted" || complain "$where" "wrong bytes"
        if [ "$device" = auto ] && [ "$lines" -eq 1 ]; then
            grep -q '^gsort: warning: .*: sorting on the CPU$' stderr ||
                complain "$where" "$(cat stderr)"
            echo warned >>"$work/outcomes"
        elif [ "$lines" -ne 0 ]; then
            complain "$where" "it said: $(cat stderr)"
        else
            echo passed >>"$work/outcomes"
        fi
    elif [ "$status" -eq 2 ] && [ "$device" = gpu ]; then
        [ "$(cat out)" = old ] || complain "$where" "the old output is gone"
        if [ "$lines" -ne 1 ] || ! grep -q '^gsort: ' stderr; then
            complain "$where" "not one line: $(cat stderr)"
        fi
        echo refused >>"$work/outcomes"
    else
        complain "$where" "exit status $status: $(cat stderr)"
    fi
    [ "$(find . -mindepth 1 | wc -l)" -eq 2 ] || complain "$where" "left: $(find . -mindepth 1)"
}

# run_call K: make one run of the walk described in the environment, with call K failing.
run_call()
{
    local k=$1 status=0 words
    read -ra words <<<"$options"
    mkdir "$work/run.$k" && cd "$work/run.$k" || return
    echo old >out
    GSORT_FAIL_GPU=$k timeout --kill-after=5 120 "$GSORT" "--device=$device" "${words[@]}" \
        "$input" -o out 2>stderr || status=$?
    judge "$name, call $k" "$device" "$status"
    cd "$work" && rm -rf "$work/run.$k"
}
export -f complain judge run_call

# want INPUT OPTIONS: write the right bytes to the file wanted. Of gsort's options, the reference
# takes -r and -u.
want()
{
    local -a order
    mapfile -t order < <(tr ' ' '\n' <<<"$2" | grep -x -e -r -e -u)
    "$reference" "${order[@]}" "$1" >"$work/wanted" || exit 2
}

# walk NAME DEVICE INPUT OPTIONS [VARIABLE]: fail each call of this run; VARIABLE says how it fails.
walk()
{
    export name=$1 device=$2 input=$work/$3 wanted=$work/wanted options=$4
    local variable=${5:-} calls words
    [ "${ONLY:-$name}" = "$name" ] || return 0
    read -ra words <<<"$options"
    want "$input" "$options"
    rm -f calls outcomes
    GSORT_FAIL_GPU_LOG=calls "$GSORT" "--device=$device" "${words[@]}" "$input" -o out || {
        complain "$name" "fails by itself"
        return
    }
    cmp out "$wanted" || complain "$name" "wrong bytes by itself"
    rm -f out
    calls=$(wc -c <calls 2>/dev/null) || calls=0
    [ "$calls" -gt 20 ] || complain "$name" "only $calls calls: is this a debug build with CUDA?"
    seq 1 "${STEP:-1}" "$calls" | env ${variable:+"$variable=1"} \
        xargs -P "$jobs" -I{} bash -c 'run_call "$1"' call {}
    printf '%s: %d calls:%s\n' "$name" "$calls" \
        "$(sort outcomes | uniq -c | awk '{ printf " %d %s", $1, $2 }')"
    grep -Eq 'refused|warned' outcomes || complain "$name" "no failure had any effect"
}

# no_device NAME VARIABLE=VALUE: check a run that finds no GPU because of this variable.
no_device()
{
    local name=$1 status=0
    shift
    [ "${ONLY:-$name}" = "$name" ] || return 0
    wanted=$work/wanted
    want "$work/bins" ''
    mkdir "$work/none" && cd "$work/none" || return
    echo old >out
    env "$@" "$GSORT" --device=gpu "$work/bins" -o out 2>stderr || status=$?
    [ "$status" -eq 2 ] || complain "$name" "--device=gpu: exit status $status"
    judge "$name" gpu "$status"
    status=0
    env "$@" GSORT_GPU_IS_FREE=1 "$GSORT" --device=auto "$work/bins" -o out 2>stderr || status=$?
    judge "$name" auto "$status"
    grep -q warning stderr || complain "$name" "no warning"
    cd "$work" && rm -r none
    echo "$name: looked at"
}

# no_room: check that with --device=auto, the CPU sorts keys for which the GPU has no room.
no_room()
{
    local status=0
    [ "${ONLY:-no room}" = 'no room' ] || return 0
    wanted=$work/wanted
    want "$work/bins" ''
    mkdir "$work/room" && cd "$work/room" || return
    echo old >out
    GSORT_GPU_IS_FREE=1 "$GSORT" --device=auto "$pieces" "$work/bins" -o out 2>stderr || status=$?
    judge 'no room' auto "$status"
    grep -q 'warning: .*: no room for 50021 keys: sorting on the CPU' stderr ||
        complain 'no room' "$(cat stderr)"
    cd "$work" && rm -r room
    echo "no room: looked at"
}

# flips NAME INPUT DEVICES [OPTION]: check that a bit that flips on the device is told, before keys
# arrive in its bins or after the sort: by the GPU's error, or a warning and the CPU's right bytes.
flips()
{
    local name=$1 input=$work/$2 word device status
    [ "${ONLY:-flips}" = flips ] || return 0
    wanted=$work/wanted
    want "$input" ''
    for word in arrived sorted; do
        for device in $3; do
            status=0
            mkdir "$work/flip" && cd "$work/flip" || return
            echo old >out
            GSORT_GPU_IS_FREE=1 GSORT_FLIP_GPU=$word "$GSORT" --verify "--device=$device" \
                "${@:4}" "$input" -o out 2>stderr || status=$?
            judge "$name, $word, $device" "$device" "$status"
            grep -q 'GPU: verify: ' stderr || complain "$name, $word, $device" "$(cat stderr)"
            cd "$work" && rm -r flip
        done
    done
    echo "$name: a flipped bit is told"
}

make_input()
{
    "$keygen" "$2" "$3" >"$1" || exit 2
}
make_input block uniform 9001
make_input bins uniform 50021
make_input skewed zipf 120011
make_input large uniform 1500007
make_input batches uniform 4300007

# The driver gets 64 MiB; the rest has room for 20000 keys.
pieces=--device-memory=67272064b
walk 'one block' gpu block ''
walk resident gpu bins ''
walk 'resident, skewed, verify' gpu skewed '--verify -r'
walk 'resident, no memory' gpu bins '' GSORT_FAIL_GPU_MEMORY
walk 'resident, lost' gpu bins '' GSORT_FAIL_GPU_LOST
walk pieces gpu bins "$pieces"
walk 'pieces, no memory' gpu bins "$pieces" GSORT_FAIL_GPU_MEMORY
walk 'pieces, lost' gpu bins "$pieces" GSORT_FAIL_GPU_LOST
export GSORT_GPU_IS_FREE=1
walk auto auto bins ''
walk 'auto, unique' auto skewed -u
walk 'auto, no memory' auto bins '' GSORT_FAIL_GPU_MEMORY
walk 'auto, lost' auto bins '' GSORT_FAIL_GPU_LOST
unset GSORT_GPU_IS_FREE
walk 'resident, registered' gpu large ''
walk batches gpu batches ''
flips 'one block' block 'gpu auto'
flips resident bins 'gpu auto'
flips 'resident, registered' large 'gpu auto'
flips batches batches 'gpu auto'
flips pieces bins gpu "$pieces" # by itself the CPU would sort these
no_device 'no visible device' CUDA_VISIBLE_DEVICES=
no_room
GSORT=$gpu_file
walk 'in device memory' gpu large -r
walk 'in device memory, lost' gpu large '' GSORT_FAIL_GPU_LOST
walk 'positions in device memory' gpu bins '-r --positions'

if [ -e complaints ]; then
    echo "inject_gpu: $(wc -l <complaints) complaints" >&2
    exit 1
fi
echo 'inject_gpu: all as it must be'
