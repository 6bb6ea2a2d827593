#!/bin/bash
# cold.sh -- a file that is not in the page cache, compared with cp on the same disk
# SPDX-License-Identifier: MIT
#
# usage: tests/bench/cold.sh GSORT KEYGEN [-d DIR] [-s MIB] [-n ROUNDS]
#
# The input is MIB (default 4096) MiB of uniform keys in DIR (default build/bench), which is also
# -T. In each of ROUNDS (default 5) rounds, the page cache is dropped before each of: cp, gsort, and
# gsort with -S one 8th, and one 64th, of the input; then the same with the input in the page cache.
# Times are of the whole process, in seconds, with their ratio to the cp of the round; the medians
# are last. Beside each round: how long a process takes that only touches 1 GiB of memory, since
# that is what a virtual machine's time depends on. Needs root, to drop the page cache.
set -eu -o pipefail
export LC_ALL=C
# shellcheck source=tests/bench/timing.sh
. "$(dirname "$0")/timing.sh"

usage="usage: cold.sh GSORT KEYGEN [-d DIR] [-s MIB] [-n ROUNDS]"
gsort=$(realpath "${1:?$usage}")
keygen=$(realpath "${2:?$usage}")
shift 2
read_options "$usage" d:s:n: "$@"
dir=${option[d]-build/bench}
mib=${option[s]-4096}
[ -w /proc/sys/vm/drop_caches ] || {
    echo "cold.sh: only root may drop the page cache" >&2
    exit 1
}
mkdir -p "$dir"
dir=$(mktemp -d "$dir/gsort-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# prepare cold|cached: have the input out of the page cache, or in it, and no output.
prepare()
{
    rm -f out
    sync
    [ "$1" = cached ] || echo 1 >/proc/sys/vm/drop_caches
    [ "$1" = cold ] || cat in >/dev/null
}

# measure cold|cached NAME COMMAND...: time it, and compare it with the cp of the round.
measure()
{
    local state=$1 name=$2 seconds
    shift 2
    prepare "$state"
    seconds=$(as_seconds "$(microseconds "$@")")
    [ "$name" != cp ] || cp_s=$seconds
    [ "$name" = cp ] || "$gsort" -c out
    awk "BEGIN { printf \"%.2f\n\", $seconds / $cp_s }" >>"$state $name"
    echo "| $state | $name | $seconds | $(tail -n 1 "$state $name") |"
}

touch_memory()
{
    dd if=/dev/zero of=/dev/null bs=1G count=1 status=none
}

"$keygen" uniform $((mib * 262144)) >in
echo "| input, $mib MiB | what | s | of cp |"
echo "|---|---|---|---|"
for ((round = 0; round < ${option[n]-5}; round++)); do
    for state in cold cached; do
        echo "| | touch 1 GiB | $(as_seconds "$(microseconds touch_memory)") | |"
        measure "$state" cp cp in out
        measure "$state" gsort "$gsort" -T . in -o out
        measure "$state" "-S $((mib / 8))M" "$gsort" -S $((mib / 8))M -T . in -o out
        measure "$state" "-S $((mib / 64))M" "$gsort" -S $((mib / 64))M -T . in -o out
    done
done
for figures in c*\ *; do
    echo "| median | $figures | | $(median <"$figures") |"
done
