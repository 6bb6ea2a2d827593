#!/bin/bash
# plan.sh -- the time that --plan promises beside the time that is taken, in a control group, too
# SPDX-License-Identifier: MIT
#
# usage: tests/bench/plan.sh GSORT KEYGEN [-d DIR] [-s "MIB..."] [-g "MIB..."] [-n ROUNDS]
#        [-p PRIORITY]
#
# Files of MIB (default 64 256) MiB in DIR (default build/bench), in the page cache, are sorted to
# another file, with -S of a fourth, too, and merged, each time after --plan has been asked: the
# medians of ROUNDS (default 3), and their ratio. The same with the files of the first size in a
# control group whose memory is limited to -g MiB (default 40 80 160), which needs root. -p: at
# that real-time priority (chrt), where other programs are at work.
set -eu -o pipefail
export LC_ALL=C
# shellcheck source=tests/bench/timing.sh
. "$(dirname "$0")/timing.sh"

usage='usage: plan.sh GSORT KEYGEN [-d DIR] [-s "MIB..."] [-g "MIB..."] [-n ROUNDS] [-p PRIORITY]'
gsort=$(realpath "${1:?$usage}")
keygen=$(realpath "${2:?$usage}")
shift 2
read_options "$usage" d:s:g:n:p: "$@"
read -ra sizes <<<"${option[s]-64 256}"
read -ra limits <<<"${option[g]-40 80 160}"
mkdir -p "${option[d]-build/bench}"
dir=$(mktemp -d "${option[d]-build/bench}/gsort-bench.XXXXXX")
group='' first=()
[ -z "${option[p]+set}" ] || first=(chrt -f "${option[p]}")
trap 'cd / && rm -rf "$dir" && { [ -z "$group" ] || rmdir "$group"; }' EXIT
dir=$(realpath "$dir")
cd "$dir"

# in_group COMMAND...: run it in the group, if there is one.
in_group()
{
    [ -z "$group" ] || echo "$BASHPID" >"$group/cgroup.procs"
    exec "${first[@]}" "$@"
}

sort_it()
{
    (in_group "$gsort" --device=cpu "$@" -o out)
}

# compare NAME ARG...: ask for the plan, and keep to it.
compare()
{
    local name=$1 planned real i
    shift
    rm -f planned taken
    for ((i = 0; i < ${option[n]-3}; i++)); do
        rm -f out
        sync
        (in_group "$gsort" --device=cpu --plan=json "$@" -o out) |
            sed -n 's/^ *"seconds": \([0-9.]*\)$/\1/p' >>planned
        as_seconds "$(microseconds sort_it "$@")" >>taken
        echo >>taken
    done
    planned=$(median <planned)
    real=$(median <taken)
    awk -v name="$name" -v p="$planned" -v r="$real" \
        'BEGIN { printf "| %s | %.2f | %.2f | %.2f |\n", name, p, r, p / r }' | tee -a results
}

# forms MIB KEYGEN-OPTION... -- GSORT-OPTION...: sort a file of this form each way.
forms()
{
    local mib=$1 form make=()
    shift
    while [ "$1" != -- ]; do
        make+=("$1")
        shift
    done
    shift
    form="$mib MiB${limit:+ within $limit}, $*"
    "$keygen" uniform $(((mib << 20) / make[0])) "${make[@]:1}" >in
    cat in >/dev/null
    compare "$form" "$@" in
    if [ -z "$group" ]; then
        compare "$form -S $((mib / 4))M" "$@" -S $((mib / 4))M -T . in
    fi
}

# all_forms MIB
all_forms()
{
    forms "$1" 4 -- -t u32
    mv out sorted
    "$keygen" uniform $(($1 << 18)) --seed=2 | "$gsort" -o other
    compare "$1 MiB${limit:+ within $limit}, -m of two" -m sorted other
    rm sorted other
    forms "$1" 4 -- -t u32 -u
    forms "$1" 8 --type=f64 -- -t f64
    forms "$1" 16 --type=u128 -- -t u128
    forms "$1" 8 --type=u32 --record=8 -- -R 8 -k 0:u32
    forms "$1" 24 --type=u64 --record=24 -- -R 24 -k 0:u64 -s
    forms "$1" 100 --type=u64 --record=100 -- -R 100 -k 0:u64
}

echo "| sort | plan, s | taken, s | plan / taken |"
echo "|---|---:|---:|---:|"
limit=''
for mib in "${sizes[@]}"; do
    all_forms "$mib"
done
group=/sys/fs/cgroup/memory/gsort-bench.$$ file=memory.limit_in_bytes
[ -d /sys/fs/cgroup/memory ] || group=/sys/fs/cgroup/gsort-bench.$$ file=memory.max
if mkdir "$group" 2>/dev/null; then
    for limit in "${limits[@]}"; do
        echo $((limit << 20)) >"$group/$file"
        all_forms "${sizes[0]}"
    done
else
    group=
fi
awk -F'|' '{ r = $5 < 1 ? 1 / $5 : $5; good += r <= 1.5 }
    r > most { most = r; at = $2 }
    END { printf "%d of %d within 1.5, the worst %.2f:%s\n", good, NR, most, at }' results
