#!/bin/bash
# kill.sh -- kill -9 gsort at random moments: the output is the old one or the complete new one
# SPDX-License-Identifier: MIT
#
# usage: tests/faults/kill.sh GSORT KEYGEN REFERENCE N [SEED]     in turn: a new output, one that is
#        replaced, the input itself, and one that is replaced by a sort through temporary files, or
#        of wide records;
#        from make check-kill N=1000 and tests/cli/kill9.bats
#
# A named temporary may be left behind: a kill between linking and renaming it, some microseconds,
# leaves one, and so does a kill at any time where the file system has no unnamed files. Such files
# are counted; where unnamed files exist, they must be complete. No file under -T may be left. Exit
# status: 0 if every output was the old or the new one, and at least a tenth of the kills came
# before the new output was in place: with fewer, the test would show little.
set -u
export LC_ALL=C

[ "$#" -ge 4 ] || {
    sed -n '/^# usage/s/^# //p' "$0" >&2
    exit 2
}
GSORT=$(realpath "$1") KEYGEN=$(realpath "$2") REFERENCE=$(realpath "$3")
count=$4
seed=${5:-$((SRANDOM % 32768))}
RANDOM=$seed
dir=$(mktemp -d) && cd "$dir" || exit 2
trap 'rm -rf "$dir"' EXIT
mkdir work tmp
"$KEYGEN" uniform 2000000 >in
"$KEYGEN" uniform 50000 --seed=7 >old
"$REFERENCE" in >new

# Is gsort's open output an unnamed file here? (gsort waits for its input meanwhile.)
has_unnamed()
{
    local pid link='' i
    mkfifo fifo
    exec 7<>fifo
    "$GSORT" -o work/out <fifo 7>&- &
    pid=$!
    for ((i = 0; i < 6000; i++)); do
        link=$(readlink /proc/"$pid"/fd/* | grep '/work/[#.]')
        [ -z "$link" ] || break
        sleep 0.01
    done
    exec 7>&-
    wait "$pid"
    [[ $link == *'/#'* ]]
}
unnamed=0
if has_unnamed; then
    unnamed=1
fi

external=(-S 1M -T tmp) # less than the input
records=(-R 40 -k 0:u16)
"$REFERENCE" "${records[@]}" in >new_records

# Set `took` to the shortest of five runs, in microseconds: others may have waited for a processor.
time_run() # OPTION...
{
    local begin this i
    took=60000000
    for ((i = 0; i < 5; i++)); do
        begin=${EPOCHREALTIME/./}
        "$GSORT" "$@" in -o work/out
        this=$((${EPOCHREALTIME/./} - begin))
        took=$((this < took ? this : took))
    done
}
time_run "${external[@]}"
took_external=$took
time_run "${records[@]}"
took_records=$took
time_run
took_memory=$took

# Is the output as it was before the run?
is_old()
{
    if [ -z "$before" ]; then
        [ ! -e work/out ]
    else
        cmp -s "$before" work/out
    fi
}

declare -A was=([old]=0 [new]=0)
left=0 bad=0
for ((i = 0; i < count; i++)); do
    rm -rf work && mkdir work
    options=() took=$took_memory input=in wanted=new
    case $((i % 5)) in
    0) before='' ;;
    1) before=old ;;
    2) before=in input=work/out ;;
    3) before=old options=("${external[@]}") took=$took_external ;;
    4) before=old options=("${records[@]}") took=$took_records wanted=new_records ;;
    esac
    [ -z "$before" ] || cp "$before" work/out
    moment=$((took * (RANDOM % 1300) / 1000))
    [ $((RANDOM % 3)) -gt 0 ] || moment=$((took * (850 + RANDOM % 300) / 1000)) # near the end
    "$GSORT" "${options[@]}" "$input" -o work/out &
    pid=$!
    sleep "$((moment / 1000000)).$(printf '%06d' $((moment % 1000000)))"
    kill -KILL "$pid" 2>/dev/null
    { wait "$pid"; } 2>/dev/null
    if is_old; then
        was[old]=$((was[old] + 1))
    elif cmp -s $wanted work/out; then
        was[new]=$((was[new] + 1))
    else
        bad=$((bad + 1))
        echo "kill $i, after $moment us, ${before:-no} file before: neither old nor new"
    fi
    for file in work/.[!.]* work/[!.]*; do
        if [ "$file" = work/out ] || [ ! -e "$file" ]; then
            continue
        fi
        left=$((left + 1))
        if [[ $file != work/.gsort-* ]] || { [ "$unnamed" = 1 ] && ! cmp -s $wanted "$file"; }; then
            bad=$((bad + 1))
            echo "kill $i, after $moment us: left behind: $file"
        fi
    done
    if [ -n "$(ls -A tmp)" ]; then
        bad=$((bad + 1))
        echo "kill $i, after $moment us: left behind: $(ls -A tmp)"
        rm -f tmp/.gsort-*
    fi
done
echo "$count kills (seed $seed): ${was[old]} times the old output, ${was[new]} times the new one," \
    "$bad bad; $left complete or documented temporaries with a name were left"
[ "$bad" -eq 0 ] && [ $((was[old] + was[new])) -eq "$count" ] && [ $((10 * was[old])) -ge "$count" ]
