#!/bin/bash
# external.sh -- external sorts and merges compared with cp on the same disk
# SPDX-License-Identifier: MIT
#
# usage: tests/bench/external.sh GSORT KEYGEN [-d DIR] [-s MIB] [-r RATIO]
#
# The input is MIB (default 1024) MiB of uniform keys in DIR (default build/bench), which is also
# -T. External: two runs of cp, then gsort with -S one RATIO-th (default 16) of the input. Merge:
# one cp of the input, then gsort -m of 16 sorted files with all its keys; of 1024 files whose key
# ranges follow each other; and of one file with 1023 files of 1000 keys each. Last, external again
# with records of 100 bytes. cp and gsort alternate, five times each; times are of the whole
# process, in seconds, and the median of the rounds' ratios is last. First comes the rate of the
# disk, by dd with fsync: cp says little about it if the input fits in the page cache.
set -eu -o pipefail
export LC_ALL=C
# shellcheck source=tests/bench/timing.sh
. "$(dirname "$0")/timing.sh"

usage="usage: external.sh GSORT KEYGEN [-d DIR] [-s MIB] [-r RATIO]"
gsort=$(realpath "${1:?$usage}")
keygen=$(realpath "${2:?$usage}")
shift 2
read_options "$usage" d:s:r: "$@"
dir=${option[d]-build/bench}
mib=${option[s]-1024}
ratio=${option[r]-16}
mkdir -p "$dir"
dir=$(mktemp -d "$dir/gsort-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# seconds COMMAND...: run it and print how long it took.
seconds()
{
    as_seconds "$(microseconds "$@")"
}

# The options of what is sorted.
format=()

copy_twice()
{
    cp in copy
    cp copy copy2
}

write_to_disk()
{
    dd if=/dev/zero of=zeros bs=1M count="$mib" conv=fsync status=none
}

# rounds NAME COMMAND...: time the command in `base` and this one in five rounds, with their ratios.
rounds()
{
    local name=$1 round base_s own_s
    shift
    : >ratios
    for ((round = 0; round < 5; round++)); do
        rm -f copy copy2 out
        base_s=$(seconds "${base[@]}")
        rm -f copy copy2 out
        own_s=$(seconds "$@")
        "$gsort" "${format[@]}" -c out
        awk "BEGIN { printf \"%.2f\n\", $own_s / $base_s }" | tee -a ratios >/dev/null
        echo "| $name | $mib | $base_s | $own_s | $(tail -n 1 ratios) |"
    done
    echo "| median | | | | $(median <ratios) |"
}

"$keygen" uniform $((mib * 262144)) >in
memory=$((mib * 1024 / ratio))
disk_s=$(seconds write_to_disk)
rm zeros
echo "disk: $mib MiB written and synchronized in $disk_s s"
echo
echo "| what | MiB | cp s | gsort s | ratio |"
echo "|---|---|---|---|---|"
base=(copy_twice)
rounds "-S ${memory}K, two cp" "$gsort" -S "${memory}K" -T . in -o out
base=(cp in copy)
split -n 16 in part.
for part in part.*; do
    "$gsort" "$part" -o "$part"
done
rounds "-m of 16, one cp" "$gsort" -m part.* -o out
"$gsort" -m part.* -o all
rm part.*
mkdir next small
split -n 1024 -a 4 all next/
rounds "-m of 1024, one after the other" "$gsort" -m next/* -o out
rm -r next
head -c 4092000 in >few
split -n 1023 -a 4 few small/
for part in small/*; do
    "$gsort" "$part" -o "$part"
done
rounds "-m of one and 1023 small" "$gsort" -m all small/* -o out
rm -r all few small
format=(-R 100 -k 0:b10)
"$keygen" gray $((mib * 1048576 / 100)) >in
base=(copy_twice)
rounds "records, -S ${memory}K, two cp" "$gsort" "${format[@]}" -S "${memory}K" -T . in -o out
