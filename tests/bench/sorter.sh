#!/bin/bash
# sorter.sh -- libgsort's sorter beside those of STXXL and RocksDB, where these are installed
# SPDX-License-Identifier: MIT
#
# usage: tests/bench/sorter.sh INSTALLED [-d DIR] [-n ROWS] [-s MIB] [-r ROUNDS]
#
# Prints Markdown: ROWS (default 10 million) rows of 24 bytes through a sorter of MIB (default 1024)
# of memory and temporary files in DIR (default build/bench), in ROUNDS (default 3) in which each
# runs once: medians of the seconds from the first push to the last row pulled, of its seconds of
# processor time, and the largest peak of memory. INSTALLED: where make install-lib has put the
# library. Peers: libstxxl-dev, librocksdb-dev; one that is missing is named on standard error.
set -eu -o pipefail
export LC_ALL=C
# shellcheck source=tests/bench/timing.sh
. "$(dirname "$0")/timing.sh"

usage="usage: sorter.sh INSTALLED [-d DIR] [-n ROWS] [-s MIB] [-r ROUNDS]"
installed=$(realpath "${1:?$usage}")
shift
read_options "$usage" d:n:s:r: "$@"
dir=${option[d]-build/bench}
rows=${option[n]-10000000}
mib=${option[s]-1024}
rounds=${option[r]-3}

mkdir -p "$dir"
dir=$(mktemp -d "$(realpath "$dir")/gsort-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
export LD_LIBRARY_PATH=$installed/lib PKG_CONFIG_PATH=$installed/lib/pkgconfig
export STXXLCFG=$dir/stxxl.cfg
echo "disk=$dir/stxxl,$((rows * 24 * 3 / 1048576 + 1024))MiB,syscall unlink" >"$STXXLCFG"

# has HEADER: can the compiler include it?
has()
{
    echo "#include <$1>" | "${CXX:-g++}" -std=c++17 -fsyntax-only -x c++ - 2>/dev/null
}

who=(gsort orders)
read -ra flags < <(pkg-config --cflags --libs gsort)
for peer in stxxl:stxxl/sorter rocksdb:rocksdb/db.h; do
    name=${peer%%:*}
    if has "${peer#*:}"; then
        who+=("$name")
        flags+=("-DBENCH_${name^^}" "-l$name")
    else
        echo "sorter.sh: lib$name-dev is not installed: skipped" >&2
    fi
done
"${CXX:-g++}" -std=c++17 -O2 -fopenmp "$(dirname "$0")/bench_sorter.cc" "${flags[@]}" -lpthread \
    -o "$dir/bench_sorter"

for ((round = 0; round < rounds; round++)); do
    for name in "${who[@]}"; do
        "$dir/bench_sorter" "$name" "$rows" "$mib" "$dir" >"$dir/said" || {
            cat "$dir/said" >&2
            exit 1
        }
        grep "^$name " "$dir/said" >>"$dir/times"
    done
done

# median_of NAME FIELD...: of the sum of these two fields, or of one
median_of()
{
    awk -v name="$1" -v a="$2" -v b="${3:-7}" '$1 == name { print $a + $b }' "$dir/times" |
        sort -n | awk '{ at[NR] = $1 } END { print at[int((NR + 1) / 2)] }'
}

echo "$rows rows of 24 bytes, $mib MiB of memory, median of $rounds rounds:"
echo
echo "| | seconds | user + system | peak MiB |"
echo "|---|---|---|---|"
for name in "${who[@]}"; do
    peak=$(awk -v name="$name" '$1 == name { print $5 }' "$dir/times" | sort -n | tail -n 1)
    echo "| $name | $(median_of "$name" 2) | $(median_of "$name" 3 4) | $peak |"
done
