#!/bin/bash
# files.sh -- times from file to file: cp, gsort on each device and in pipes, numpy, CuPy
# SPDX-License-Identifier: MIT
#
# usage: tests/bench/files.sh GSORT KEYGEN [-p ROUNDS] [-P ROUNDS] [-n NAME]... [-j DIR]
#                             [-d DIR]... [KEYS...]
#
# Prints Markdown, a table for each DIR (default build/bench; /dev/shm is a tmpfs) with a row for
# each of KEYS (default 64M 256M 1G: 256 MiB, 1 GiB, 4 GiB), uniform keys. One round runs, one after
# the other: cp; gsort with --device=cpu, gpu and auto; cat | gsort and cat alone; gsort | cat and
# cat | cat, both to /dev/null; numpy and CuPy. Every other round has the reverse order, so that all
# meet the same conditions. -p sets the number of ROUNDS (default 5) after one warm-up round. numpy
# and CuPy take ten times as long, so they are only in the first rounds, as many as -P says (default
# 2; none leaves them out). -n NAME runs only what it names: cp, cpu, gpu, auto, pipe and cat, given
# and poured, numpy, cupy. The input is in the page cache, and every output is a new file. A time is
# that of the whole process, in seconds, median of the rounds. A ratio is the median of the rounds'
# ratios, with minimum and maximum; below 1 is faster than cp. What cannot run here (no GPU, no
# numpy) has a dash. The last columns have the estimates by which --device=auto chooses, its choice,
# and the peaks of resident memory. In the warm-up round, gsort's outputs are compared with one that
# --verify has checked; in the others, only their length is. The warm-up round also measures, with
# Python if it is installed, the peaks, in MiB; they include mapped files. -j DIR keeps --stats=json
# of one more run of each size on the GPU, and of one through a pipe, as FILESYSTEM-MIB-gpu.json and
# so on, for timeline.py. Nothing is synced to a disk.
set -eu -o pipefail
export LC_ALL=C
# shellcheck source=tests/bench/timing.sh
. "$(dirname "$0")/timing.sh"

usage="usage: files.sh GSORT KEYGEN [-p ROUNDS] [-P ROUNDS|none] [-n NAME]... [-j DIR]"
usage+=" [-d DIR]... [KEYS...]"
gsort=$(realpath "${1:?$usage}")
keygen=$(realpath "${2:?$usage}")
shift 2
read_options "$usage" d:j:n:P:p: "$@"
shift $((OPTIND - 1))
[ "$#" -gt 0 ] || set -- 64M 256M 1G
rounds=${option[p]-5}
peer_rounds=${option[P]-2}
peer_rounds=${peer_rounds/none/0}
json_dir=${option[j]-}
mapfile -t dirs <<<"${option[d]-build/bench}"
if [ -n "$json_dir" ]; then
    mkdir -p "$json_dir"
    json_dir=$(realpath "$json_dir")
fi

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

# peak_of NAME: run it, and print the peak resident memory of its largest process in MiB.
peak_of()
{
    python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' \
        bash -c 'set -eu -o pipefail; run_one "$1"' run_one "$1"
}

keep_peak()
{
    peak_of "$1" >"peak.$1"
}

# run_one NAME: run what is measured under this name, from in to out; `pipe` and `cat` read or stand
# for a pipe, `given` and `poured` write to one whose reader discards everything.
# shellcheck disable=SC2002  # the pipe is what is measured
run_one()
{
    case $1 in
    cp) cp in out ;;
    cpu | gpu | auto) "$gsort" --device="$1" in -o out ;;
    pipe) cat in | "$gsort" >out ;;
    given) "$gsort" in | cat >/dev/null ;;
    poured) cat in | cat >/dev/null ;;
    cat) cat in >out ;;
    numpy | cupy) peer "$1" in out ;;
    esac
}

# is_wanted NAME: is it named by -n, or is there no -n?
is_wanted()
{
    [ -z "${option[n]-}" ] || grep -qx "$1" <<<"${option[n]}"
}

# can_run NAME: can it run here?
can_run()
{
    case $1 in
    gpu) "$gsort" --device=gpu </dev/null >/dev/null 2>&1 ;;
    numpy | cupy) [ "$peer_rounds" -gt 0 ] && python3 -c "import $1" 2>/dev/null ;;
    esac
}

# Set names and peers to what is wanted and can run here.
find_names()
{
    names=()
    peers=()
    local name
    for name in cp cpu auto pipe cat given poured gpu numpy cupy; do
        if ! is_wanted "$name" || ! can_run "$name"; then
            continue
        fi
        case $name in
        numpy | cupy) peers+=("$name") ;;
        *) names+=("$name") ;;
        esac
    done
}

# warm_up NAME...: run each without timing it; compare outputs, write peaks to the files peak.NAME.
warm_up()
{
    local name
    for name; do
        rm -f out
        if [ -n "$python" ]; then
            peak_of "$name" >"peak.$name"
        else
            run_one "$name"
        fi
        case $name in
        cpu | gpu | auto | pipe) cmp out sorted ;;
        given) "$gsort" in | cmp - sorted ;;
        esac
    done
}

# run_round NAME...: run and time each; times in microseconds go to the files times.NAME.
run_round()
{
    local name
    for name; do
        rm -f out
        case $name in
        numpy | cupy) microseconds keep_peak "$name" ;; # takes 0.03 s more
        *) microseconds run_one "$name" ;;
        esac >>"times.$name"
        [[ $name == @(given|poured) ]] || [ "$(stat -c %s out)" -eq "$(stat -c %s in)" ]
    done
}

# seconds NAME: print the median time.
seconds()
{
    [ -e "times.$1" ] || {
        printf '%s' -
        return
    }
    as_seconds "$(median <"times.$1")"
}

# ratio NAME OTHER: print median, minimum and maximum of the rounds' ratios.
ratio()
{
    if [ -e "times.$1" ] && [ -e "times.$2" ]; then
        paste "times.$1" "times.$2" | awk '{ print $1 / $2 }' | spread
    else
        printf '%s' -
    fi
}

# Print the peaks found in the warm-up round.
peaks()
{
    local file
    for file in peak.*; do
        [ ! -e "$file" ] || printf ' %s %s' "${file#peak.}" "$(cat "$file")"
    done
}

# estimate DEVICE: print the time in seconds that --device=auto estimates for it.
estimate()
{
    "$gsort" --plan in | sed -n "s/.*[:,] \([0-9.]*\) s on the $1.*/\1/p" | grep . || printf '%s' -
}

# keep_stats NAME COMMAND...: run it and keep its --stats=json for timeline.py.
keep_stats()
{
    local file
    file=$json_dir/$(df --output=fstype . | tail -n 1)-$(($(wc -c <in) >> 20))-$1.json
    rm -f out
    shift
    "$@" 2>"$file"
}

turned()
{
    printf '%s\n' "$@" | tac
}

measure()
{
    local keys=$1 i n other
    "$keygen" uniform "$keys" >in
    n=$(($(wc -c <in) / 4))
    "$gsort" --device=cpu --verify in -o sorted
    rm -f times.* peak.*
    warm_up "${names[@]}"
    for ((i = 0; i < rounds; i++)); do
        other=("${names[@]}")
        if ((i < peer_rounds)); then
            other+=("${peers[@]}")
        fi
        if ((i % 2 == 1)); then
            mapfile -t other < <(turned "${other[@]}")
        fi
        run_round "${other[@]}"
    done
    if [ -n "$json_dir" ]; then
        if [[ " ${names[*]} " == *' gpu '* ]]; then
            keep_stats gpu "$gsort" --device=gpu --stats=json in -o out
        fi
        # shellcheck disable=SC2002
        cat in | keep_stats pipe "$gsort" --stats=json -o out
    fi
    printf '| %d | %d |' "$n" $((n / 262144))
    printf ' %s |' "$(seconds cp)" "$(seconds cpu)" "$(seconds gpu)" "$(seconds auto)" \
        "$(ratio cpu cp)" "$(ratio gpu cp)" "$(ratio auto cp)" "$(seconds pipe)" \
        "$(ratio pipe cat)" "$(seconds given)" "$(ratio given poured)" \
        "$(seconds numpy)" "$(seconds cupy)"
    printf ' %s |' "$(estimate CPU)" "$(estimate GPU)" \
        "$("$gsort" --plan in | sed -n 's/^device *\([a-z]*\).*/\1/p')"
    printf '%s |\n' "$(peaks)"
}

python=$(command -v python3) || python=
export -f run_one peer
export gsort
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
        '/ cat | gsort \| cat | / cat \| cat | numpy | CuPy |' \
        'estimate cpu | estimate gpu | auto takes | peaks, MiB |'
    echo '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|'
    for keys; do
        measure "$keys"
    done
    popd >/dev/null
    rm -rf "$work"
    work=
done
