# timing.sh -- shared by the file benchmarks: options, times, medians; sourced, not run
# SPDX-License-Identifier: MIT
# shellcheck shell=bash

# read_options USAGE LETTERS WORD...: parse options; LETTERS are those of getopts, without a leading
# colon. Sets option[LETTER], with one line for each time the letter is given, and leaves OPTIND
# behind the last option.
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

# microseconds COMMAND...: run it and print how long it took; its own output goes to standard error.
microseconds()
{
    local start=$EPOCHREALTIME end
    "$@" >&2
    end=$EPOCHREALTIME
    echo $((${end/./} - ${start/./}))
}

# median, spread: print the median of the numbers on standard input; spread also prints minimum and
# maximum, all with two decimals.
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

# as_seconds MICROSECONDS: print the time in seconds.
as_seconds()
{
    awk -v us="$1" 'BEGIN { printf "%.3f", us / 1e6 }'
}
