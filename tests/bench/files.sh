#!/bin/bash
# files.sh -- from file to file: cp, gsort on each device and in a pipe, numpy, CuPy, in rounds
# SPDX-License-Identifier: MIT
#
# usage: tests/bench/files.sh GSORT KEYGEN [-p ROUNDS] [-d DIR]... [KEYS...]
#
# Prints Markdown, a table for each DIR (default build/bench; /dev/shm is a tmpfs) with a line for
# each of KEYS (default 64M 256M 1G: 256 MiB, 1 GiB, 4 GiB), uniform keys. One round runs cp, gsort
# with --device=cpu, gpu and auto, cat | gsort beside cat alone, and what numpy and CuPy do, one
# after the other, in an order that is turned round every other time, so that all meet the same
# mood of the machine; ROUNDS (default 5) after one to warm up. The input is in the page cache and
# every output is a new file. A time is the whole process, start to exit, in seconds, the median of
# the rounds; a ratio is the median of the rounds' ratios, with the least and the greatest: below 1
# is faster than cp. What cannot run here (no GPU, no numpy) has a dash. Every output of gsort's is
# compared with one that --verify has proven, off the clock. PEERS=0 leaves numpy and CuPy out,
# which take ten times as long. Nothing is synced to a disk.
set -eu -o pipefail
export LC_ALL=C

usage="usage: files.sh GSORT KEYGEN [-p ROUNDS] [-d DIR]... [KEYS...]"
gsort=$(realpath "${1:?$usage}")
keygen=$(realpath "${2:?$usage}")
shift 2
rounds=5
dirs=()
while getopts d:p: letter; do
    case $letter in
    d) dirs+=("$OPTARG") ;;
    p) rounds=$OPTARG ;;
    *)
        echo "$usage" >&2
        exit 2
        ;;
    esac
done
shift $((OPTIND - 1))
[ "$#" -gt 0 ] || set -- 64M 256M 1G
[ "${#dirs[@]}" -gt 0 ] || dirs=(build/bench)

work=
trap '[ -z "$work" ] || rm -rf "$work"' EXIT

peer()
{
    python3 -c '
import sys
numpy = __import__(sys.argv[1])
keys = numpy.fromfile(sys.argv[2], dtype="<u4")
keys.sort()
keys.tofile(sys.argv[3])' "$@"
}

# What is run, by name, from in to out; `pipe` and `cat` through a pipe.
run_one()
{
    case $1 in
    cp) cp in out ;;
    cpu | gpu | auto) "$gsort" --device="$1" in -o out ;;
    pipe)
        # shellcheck disable=SC2002  # the pipe is what is measured
        cat in | "$gsort" >out
        ;;
    cat) cat in >out ;;
    numpy | cupy) peer "$1" in out ;;
    esac
}

# Those that can run here.
find_names()
{
    names=(cp cpu auto pipe cat)
    if "$gsort" --device=gpu </dev/null >/dev/null 2>&1; then
        names+=(gpu)
    fi
    local module
    for module in numpy cupy; do
        if [ "${PEERS:-1}" = 1 ] && python3 -c "import $module" 2>/dev/null; then
            names+=("$module")
        fi
    done
}

# One after the other; times in microseconds go to the files times.NAME.
run_round()
{
    local name start end
    for name; do
        rm -f out
        start=$EPOCHREALTIME
        run_one "$name"
        end=$EPOCHREALTIME
        echo $((${end/./} - ${start/./})) >>"times.$name"
        case $name in
        cpu | gpu | auto | pipe) cmp out sorted ;;
        esac
    done
}

# seconds NAME: the median.
seconds()
{
    [ -e "times.$1" ] || {
        printf '%s' -
        return
    }
    sort -g "times.$1" | awk '{ a[NR] = $1 }
        END { printf "%.3f", (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2e6 }'
}

# ratio NAME OTHER: median, least and greatest of the rounds' ratios.
ratio()
{
    [ -e "times.$1" ] || {
        printf '%s' -
        return
    }
    paste "times.$1" "times.$2" | awk '{ print $1 / $2 }' | sort -g | awk '{ a[NR] = $1 }
        END { printf "%.2f (%.2f-%.2f)", (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2, a[1],
                     a[NR] }'
}

turned()
{
    printf '%s\n' "$@" | tac
}

measure()
{
    local keys=$1 i n
    "$keygen" uniform "$keys" >in
    n=$(($(wc -c <in) / 4))
    "$gsort" --device=cpu --verify in -o sorted
    rm -f times.*
    run_round "${names[@]}"
    rm -f times.*
    for ((i = 0; i < rounds; i++)); do
        if ((i % 2 == 0)); then
            run_round "${names[@]}"
        else
            mapfile -t other < <(turned "${names[@]}")
            run_round "${other[@]}"
        fi
    done
    printf '| %d | %d |' "$n" $((n / 262144))
    printf ' %s |' "$(seconds cp)" "$(seconds cpu)" "$(seconds gpu)" "$(seconds auto)" \
        "$(ratio cpu cp)" "$(ratio gpu cp)" "$(ratio auto cp)" "$(seconds pipe)" \
        "$(ratio pipe cat)" "$(seconds numpy)" "$(seconds cupy)"
    printf ' %s |\n' "$("$gsort" --stats=json in -o out 2>&1 | sed -n \
        's/^  "reason": "\(.*\)",$/\1/p')"
}

model=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
echo "$("$gsort" --version | sed -n 1p), $(nproc) cores of: ${model:-$(uname -m)}," \
    "Linux $(uname -r)"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1 || true
for dir in "${dirs[@]}"; do
    mkdir -p "$dir"
    work=$(mktemp -d "$dir/gsort-files.XXXXXX")
    pushd "$work" >/dev/null
    find_names
    echo
    echo "$(df --output=fstype . | tail -n 1), medians of $rounds rounds, seconds:"
    echo
    echo '| n | MiB | cp | cpu | gpu | auto | cpu / cp | gpu / cp | auto / cp | cat \| gsort |' \
        '/ cat | numpy | CuPy | auto says |'
    echo '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|'
    for keys; do
        measure "$keys"
    done
    popd >/dev/null
    rm -rf "$work"
    work=
done
