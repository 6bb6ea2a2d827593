# timing.sh -- what the benchmarks of files share: options, times, medians; sourced, not run
# SPDX-License-Identifier: MIT
# shellcheck shell=bash

# read_options USAGE LETTERS WORD...: LETTERS as getopts has them, without the first colon. Fills
# option[LETTER], of a letter that came more than once with a line each, and leaves OPTIND behind
# the last one.
declare -A option=()
read_options()
{
    local usage=$1 letters=$2 letter
    shift 2
    OPTIND=1
    while getopts "$letters" letter; do
        if [ "$letter" = '?' ]; then
            echo "$usage" >&2
            exit 2
        fi
        option[$letter]=${option[$letter]+${option[$letter]}$'\n'}$OPTARG
    done
}

# microseconds COMMAND...: how long it took, on standard output.
microseconds()
{
    local start=$EPOCHREALTIME end
    "$@" >&2
    end=$EPOCHREALTIME
    echo $((${end/./} - ${start/./}))
}

# Of the numbers on standard input: their median; their median, least and greatest, with two digits.
median()
{
    sort -g | awk '{ a[NR] = $1 } END { print (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2 }'
}

spread()
{
    sort -g | awk '{ a[NR] = $1 }
        END { printf "%.2f (%.2f-%.2f)", (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2, a[1],
                     a[NR] }'
}

# as_seconds MICROSECONDS
as_seconds()
{
    awk -v us="$1" 'BEGIN { printf "%.3f", us / 1e6 }'
}
