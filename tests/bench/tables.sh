#!/bin/bash
# tables.sh -- measure the shared-memory engines and the sample sort against their parameters
# SPDX-License-Identifier: MIT
#
# usage: tests/bench/tables.sh GSORT BENCH_QSORT KEYGEN DIR [lists|keys|samples|print]...
#
# Measures all parts, or those named, and writes DIR/tables-*.csv and DIR/tables.md:
#   lists    1024 keys, and as many as an engine takes: the sort of the lists alone, and each
#            engine, for 1 to 256 lists
#   keys     each engine, and the sample sort's method for few keys, from 1 key to the capacity
#   samples  2^20 keys, random and nearly sorted: the sample sort's stages against its sample size
#   print    tables.md from the existing CSV files
# A time is in milliseconds, from --stats=json, the median of RUNS runs (default 31; GPU_RUNS, 3,
# with --device=gpu, where a run takes half a second to start). "sort" is the sum of the stages that
# sort, without reading, transfers to and from the GPU, and writing; "run" is from the program's
# start until the output is in place. For each series, gsort -C checks one output, which is not
# timed. The GPU's columns are empty if there is none. PLOTS=1 also draws DIR/tables-*.svg, with
# gnuplot.
set -eu -o pipefail
export LC_ALL=C

usage="usage: tables.sh GSORT BENCH_QSORT KEYGEN DIR [lists|keys|samples|print]..."
gsort=$(realpath "${1:?$usage}")
bench_qsort=$(realpath "${2:?$usage}")
keygen=$(realpath "${3:?$usage}")
dir=$(realpath "${4:?$usage}")
shift 4
[ "$#" -gt 0 ] || set -- lists keys samples print
RUNS=${RUNS:-31}
GPU_RUNS=${GPU_RUNS:-3}
PLOTS=${PLOTS:-0}
ENGINES='atomicmin reduction hybrid'
CAPACITY=38656
if [ "$PLOTS" = 1 ] && ! command -v gnuplot >/dev/null; then
    echo 'tables: PLOTS=1, but there is no gnuplot' >&2
    exit 2
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

devices=cpu
gpu_name=
if "$gsort" --device=gpu --stats=json </dev/null 2>"$scratch/json" >/dev/null; then
    devices='cpu gpu'
    "$keygen" uniform 1000 >"$scratch/in"
    "$gsort" --device=gpu --engine=hybrid --stats=json "$scratch/in" 2>"$scratch/json" >/dev/null
    gpu_name=$(sed -n 's/^ *"device_text": "\(.*\)",$/\1/p' "$scratch/json")
fi

# Print the first line of each CSV file: the processors measured.
describe()
{
    local model
    model=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
    echo "# CPU: ${model:-$(uname -m)}; GPU: ${gpu_name:-none, its columns wait for a run on one}"
}

# Print the median of the numbers on standard input.
median()
{
    sort -g | awk '{ a[NR] = $1 } END { print (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2 }'
}

# read_json FILE: print "stage ms" for each stage that ran, then for sort and run.
read_json()
{
    awk '
        /"name": / {
            split($0, name, "\""); split($0, ms, /"ms": /)
            if ($0 ~ /"device": null/) next
            gsub(" ", "-", name[4])
            print name[4], ms[2] + 0
            if (name[4] !~ /^(start|read|upload|download|write|verify)$/) sum += ms[2]
        }
        /"total_ms": / { sub(/.*: /, ""); total = $0 + 0 }
        END { print "sort", sum + 0; print "run", total }' "$1"
}

# measure DEVICE OPTION...: sort $scratch/in again and again; "stage ms" of all runs go to
# $scratch/times. One more run before them warms up, and its output is checked.
measure()
{
    local device=$1 runs=$RUNS i
    shift
    [ "$device" = cpu ] || runs=$GPU_RUNS
    : >"$scratch/times"
    for ((i = 0; i <= runs; i++)); do
        "$gsort" --device="$device" "$@" --stats=json "$scratch/in" -o "$scratch/out" \
            2>"$scratch/json"
        if [ "$i" -eq 0 ]; then
            "$gsort" -C "$scratch/out"
        else
            read_json "$scratch/json" >>"$scratch/times"
        fi
    done
}

# time_of STAGE: print its median time.
time_of()
{
    awk -v stage="$1" '$1 == stage { print $2 }' "$scratch/times" | median
}

# measure_lists KEYS: print the table of the part `lists`.
measure_lists()
{
    local lists device engine
    describe
    echo lists,what,device,ms
    "$keygen" uniform "$1" >"$scratch/in"
    for ((lists = 1; lists <= 256; lists *= 2)); do
        for device in $devices; do
            for engine in $ENGINES; do
                measure "$device" --engine="$engine" --lists="$lists"
                if [ "$engine" = atomicmin ]; then
                    echo "$lists,lists alone,$device,$(time_of sort-lists)"
                fi
                echo "$lists,$engine,$device,$(time_of sort)"
            done
        done
    done
    echo "qsort,qsort,cpu,$("$bench_qsort" <"$scratch/in")"
}

# Write the tables of the part `keys` to file descriptors 3 (the sort alone) and 4 (the whole run).
measure_keys()
{
    local n device engine
    for n in 3 4; do
        describe >&$n
        echo keys,what,device,ms >&$n
    done
    for n in 1 2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 "$CAPACITY"; do
        "$keygen" uniform "$n" >"$scratch/in"
        for device in $devices; do
            for engine in $ENGINES samplesort; do
                measure "$device" --engine="$engine"
                echo "$n,$engine,$device,$(time_of sort)" >&3
                echo "$n,$engine,$device,$(time_of run)" >&4
            done
        done
        echo "$n,qsort,cpu,$("$bench_qsort" <"$scratch/in")" >&3
    done
}

# measure_samples DISTRIBUTION: print a table of the part `samples`.
measure_samples()
{
    local samples device stage
    describe
    echo samples,what,device,ms
    "$keygen" "$1" 1M >"$scratch/in"
    for ((samples = 1024; samples <= 262144; samples *= 2)); do
        for device in $devices; do
            measure "$device" --engine=samplesort --samples="$samples"
            for stage in select-samples sort-samples count-bins prefix-sum scatter sort-bins sort \
                run; do
                echo "$samples,${stage/-/ },$device,$(time_of "$stage")"
            done
        done
    done
    echo "qsort,qsort,cpu,$("$bench_qsort" <"$scratch/in")"
}

# print_table FILE: print a CSV file as a Markdown table: a row for each value in its first field,
# two columns (CPU, GPU) for each thing measured, qsort in the last row or column.
print_table()
{
    awk -F, '
        /^#/ || ++line == 1 { if (!/^#/) head = $1; next }
        !($2 in seen) && $1 != "qsort" { seen[$2] = 1; what[++columns] = $2 }
        !($1 in rowed) { rowed[$1] = 1; key[++rows] = $1 }
        { ms[$1, $2, $3] = $4 }
        function cell(value) { return value == "" ? "" : sprintf("%.3g", value) }
        END {
            top = "| " head; rule = "|---"
            for (c = 1; c <= columns; c++) {
                top = top " | " what[c] " CPU" (what[c] == "qsort" ? "" : " | " what[c] " GPU")
                rule = rule "|---" (what[c] == "qsort" ? "" : "|---")
            }
            print top " |\n" rule "|"
            for (r = 1; r <= rows; r++) {
                text = "| " key[r]
                for (c = 1; c <= columns; c++) {
                    from = key[r] == "qsort" && c == 1 ? "qsort" : what[c]
                    text = text " | " cell(ms[key[r], from, "cpu"])
                    if (what[c] != "qsort")
                        text = text " | " cell(ms[key[r], from, "gpu"])
                }
                print text " |"
            }
        }' "$1"
}

# title NAME TEXT: print a section with the table of DIR/tables-NAME.csv.
title()
{
    [ -e "$dir/tables-$1.csv" ] || return 0
    printf '\n## %s\n\n' "$2"
    sed -n '1s/^# \(.*\)$/\1./p' "$dir/tables-$1.csv"
    echo
    print_table "$dir/tables-$1.csv"
}

print_all()
{
    echo '# Tables of the engines'
    echo
    printf '%s\n' 'Written by `make bench-tables`; tests/bench/tables.sh says what is measured.' \
        'Milliseconds.'
    title lists '1024 random keys, against the number of lists'
    title lists-full "$CAPACITY random keys, against the number of lists"
    title keys-sort 'Random keys, against their number: the sort alone'
    title keys-run 'Random keys, against their number: from file to file'
    title samples-random '2^20 random keys, against the number of samples'
    title samples-nearly-sorted '2^20 nearly sorted keys, against the number of samples'
}

# plot NAME X-LABEL: draw all columns of DIR/tables-NAME.csv as lines.
plot()
{
    local file=$dir/tables-$1.csv lines=() what device points
    [ -e "$file" ] || return 0
    while IFS=, read -r what device; do
        points=$scratch/points.${what// /-}.$device
        awk -F, -v w="$what" -v d="$device" \
            '$2 == w && $3 == d && $1 != "qsort" { print $1, $4 }' "$file" >"$points"
        lines+=("'$points' with linespoints title '$what, ${device^^}'")
    done < <(awk -F, '!/^#/ && NF == 4 && $3 != "device" && $1 != "qsort" { print $2 "," $3 }' \
        "$file" | sort -u)
    {
        echo "set terminal svg size 800,500 noenhanced; set output '$dir/tables-$1.svg'"
        echo "set logscale x 2; set logscale y; set grid; set xlabel '$2'; set ylabel 'ms'"
        echo 'set key outside right; set xtics rotate by 45 right'
        printf 'plot %s' "${lines[0]}"
        printf ', %s' "${lines[@]:1}"
        echo
    } | gnuplot
}

for part; do
    case $part in
    lists)
        measure_lists 1024 >"$scratch/csv" && mv "$scratch/csv" "$dir/tables-lists.csv"
        measure_lists "$CAPACITY" >"$scratch/csv" && mv "$scratch/csv" "$dir/tables-lists-full.csv"
        ;;
    keys)
        measure_keys 3>"$scratch/sort" 4>"$scratch/run"
        mv "$scratch/sort" "$dir/tables-keys-sort.csv"
        mv "$scratch/run" "$dir/tables-keys-run.csv"
        ;;
    samples)
        for name in uniform:random nearly-sorted:nearly-sorted; do
            measure_samples "${name%:*}" >"$scratch/csv"
            mv "$scratch/csv" "$dir/tables-samples-${name#*:}.csv"
        done
        ;;
    print) print_all >"$dir/tables.md" ;;
    *)
        echo "$usage" >&2
        exit 2
        ;;
    esac
done
if [ "$PLOTS" = 1 ]; then
    plot lists 'lists'
    plot lists-full 'lists'
    plot keys-sort 'keys'
    plot keys-run 'keys'
    plot samples-random 'samples'
    plot samples-nearly-sorted 'samples'
fi
