# Whatever -S says, and wherever records lie, a sort of them ends soon, or says what it takes.
# SPDX-License-Identifier: MIT

load ../helper

export GSORT_DEVICE= # records for the CPU

setup()
{
    enter_directory
    mkdir t
}

# sorted_soon INPUT OPTION...: within seconds, to `out`.
sorted_soon()
{
    timeout 20 "$GSORT" "${@:2}" -T t "$1" -o out
    [ -z "$(ls -A t)" ]
}

@test "records that are read into memory leave enough of it to go on with" {
    keygen uniform 800001 | head -c 3200002 >in
    sorted_soon in -s --argsort=u32 -R 16 -k 5:b4 --skip=2 -S 2M --parallel=1
    mv out external
    gsort -s --argsort=u32 -R 16 -k 5:b4 --skip=2 in -o out
    assert_same out external
}

@test "so do records that address space has no room for" {
    require_plain_build # of little address space
    keygen uniform 1600000 >in
    reference -s -R 16 -k 0:f64 in >wanted
    (
        ulimit -v 45000
        sorted_soon in -s -R 16 -k 0:f64 -S 3M --parallel=1
    )
    assert_same wanted out
}

# others_hold KIB COMMAND...: where other processes leave so much memory, if gsort believes /proc.
others_hold()
{
    sed "s/^MemAvailable:.*/MemAvailable: $1 kB/" /proc/meminfo >meminfo
    unshare -m bash -c 'mount --bind meminfo /proc/meminfo && exec "$@"' bash "${@:2}"
}

@test "so do records where other processes hold the memory" {
    local kib
    require unshare
    others_hold 64 true 2>/dev/null || skip "mounting is not permitted here"
    keygen uniform 1600000 >in
    reference -s -R 16 -k 0:f64 in >wanted
    for kib in 64 4000 40000; do
        others_hold "$kib" timeout 20 "$GSORT" -s -R 16 -k 0:f64 -T t in -o out
        assert_same wanted out
        # shellcheck disable=SC2002  # a pipe is what is tested
        cat in | others_hold "$kib" timeout 20 "$GSORT" -s -R 16 -k 0:f64 -T t >out
        assert_same wanted out
    done
}

@test "so do records where others hold the memory of the control group" {
    local mib threads
    require_plain_build
    require_control_group memory
    mount_memory held 200m
    keygen uniform 1600000 >in
    reference -s -R 16 -k 0:f64 in >wanted
    for mib in 190 180 160; do
        limit_to 200 head -c "${mib}M" /dev/zero >held/file
        for threads in 2 1000; do # each of which has a mebibyte in hand
            in_group timeout 20 "$GSORT" --parallel="$threads" -s -R 16 -k 0:f64 -T t in -o out
            assert_same wanted out
            # shellcheck disable=SC2002  # a pipe is what is tested
            cat in | in_group timeout 20 "$GSORT" --parallel="$threads" -s -R 16 -k 0:f64 -T t >out
            assert_same wanted out
        done
    done
}

@test "records of any size behind any number of bytes, with any limit" {
    local size skip limit
    keygen uniform 400000 >in
    for size in 1 3 12 16 40 1000; do
        for skip in 0 1 8; do
            { head -c "$skip" in && head -c $((1600000 / size * size)) in; } >skipped
            head -c $((1600000 / size * size)) in >plain
            reference -s -R "$size" -k 0:b1 plain >wanted
            take_few 64K 1M 2M 3M 5M
            for limit in "${TURNS[@]}"; do
                sorted_soon skipped -s -R "$size" -k 0:b1 --skip="$skip" -S "$limit"
                tail -c +$((skip + 1)) out | cmp wanted -
            done
        done
    done
}

# Tables with an entry for each bin of each chunk grow with the square.
@test "so many records for so little memory that it would take hours are refused" {
    local options=(-s -R 16 -k 0:u64 --parallel=1) said least
    truncate -s 16G in
    run -2 gsort "${options[@]}" -S 2M -T t in -o out
    said=$output
    [[ $said == "gsort: 1073741824 records of 16 bytes take at least "*" MiB of memory"*" (-S)" ]]
    [ ! -e out ]
    run -2 gsort --plan "${options[@]}" -S 2M -T t in
    [ "$output" = "$said" ]
    least=${said##*at least }
    least=${least%% MiB*}
    run -0 gsort --plan "${options[@]}" -S "${least}M" in
    [[ $output == *"external sort"* ]]
}

@test "a pipe of a hundred times the memory, all of it one key, is not" {
    is_expensive || skip "make check-expensive writes so much"
    head -c 480000000 /dev/zero | "$GSORT" -s -R 3 -k 0:u16 -S 1M -T t --parallel=1 -o out
    head -c 480000000 /dev/zero | cmp out -
    [ -z "$(ls -A t)" ]
}
