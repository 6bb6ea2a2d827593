# types.bash -- sort one file of records in every way, and compare with the reference
# SPDX-License-Identifier: MIT

# sort_every_way FILE RECORD_BYTES WORD...: WORDs are the options that say what the file is. Each
# file takes two or three ways, in turn, and each way the next of four orders; with GSORT_EXPENSIVE
# each file takes every way in each order.
ORDER=${BATS_TEST_NUMBER:-0}
WAY=$ORDER
sort_every_way()
{
    local file=$1 bytes=$2 orders=("" -r -u "-r -u") way order number
    [ "$GSORT_DEVICE" != gpu ] || [ "$bytes" -le 16 ] || return 0 # longer ones are the CPU's
    shift 2
    rm -f reference?
    for way in file one_thread pipe in_place external external_pipe merge ordered check; do
        if [ -z "${GSORT_EXPENSIVE:-}" ]; then
            [ $((WAY++ % 4)) = 0 ] || continue
            number=$((ORDER++ % 4))
            sort_one_way "$way" "$@" || return
            continue
        fi
        for number in 0 1 2 3; do
            sort_one_way "$way" "$@" || return
        done
    done
}

# shellcheck disable=SC2086,SC2002  # $order may be two words, or none; a pipe is meant
sort_one_way()
{
    local way=$1 half
    shift
    order=${orders[number]}
    rm -f out
    [ -e "reference$number" ] || reference "$@" $order <"$file" >"reference$number"
    half=$(($(wc -c <"$file") / bytes / 3))
    half=$((half * bytes))
    case $way in
    file) gsort "$@" $order --parallel=2 "$file" -o out ;;
    one_thread) gsort "$@" $order --parallel=1 --verify "$file" -o out ;;
    pipe) cat "$file" | gsort "$@" $order --verify >out ;;
    in_place) cp "$file" out && gsort "$@" $order out -o out ;;
    external) gsort "$@" $order -S 1M -T . --verify "$file" -o out ;;
    external_pipe) cat "$file" | gsort "$@" $order -S 1M -T . --verify >out ;;
    merge)
        head -c "$half" "$file" | gsort "$@" ${order/-u/} >part1
        tail -c +$((half + 1)) "$file" | gsort "$@" ${order/-u/} >part2
        gsort "$@" $order -m --verify part1 part2 -o out
        ;;
    ordered) gsort "$@" $order "reference$number" -o out ;;
    check) gsort "$@" $order -c "reference$number" && cp "reference$number" out ;;
    esac
    cmp "reference$number" out && return
    echo "gsort $* $order: wrong, sorted by way of: $way" >&2
    return 1
}
