# Wide records come out the same through temporary files, from parts merged, and in place.
# SPDX-License-Identifier: MIT

load ../helper
load types

setup()
{
    without_gpu "records of any size"
    enter_directory
}

@test "records of several sizes and keys, in every way" {
    keygen gray 60000 >in
    sort_every_way in 100 -R 100 -k 0:b10
    keygen --record=24 --type=u64 narrow 200000 >in
    sort_every_way in 24 -R 24 -k 0:u64
    keygen --record=48 --type=f64 --specials uniform 90000 >in
    sort_every_way in 48 -R 48 -k 0:f64r -k 40:u64
    keygen paths 50000 >in
    sort_every_way in 96 -R 96 -k 0:b88
}

@test "records of few keys, of one, and sorted ones, in every way" {
    keygen --record=32 --type=u32 few 150000 >in
    sort_every_way in 32 -R 32 -k 0:u32
    sort_every_way in 32 -R 32 -k 0:u32 -s
    keygen --record=32 --type=u32 equal 150000 >in
    sort_every_way in 32 -R 32 -k 0:u32
    sort_every_way in 32 -R 32 -k 0:u32 -s
    keygen --record=32 --type=u32be sorted 150000 >in
    sort_every_way in 32 -R 32 -k 0:u32be
}

@test "the longest records, in every way" {
    keygen --record=65536 --type=b10 narrow 300 >in
    sort_every_way in 65536 -R 65536 -k 0:b10
    sort_every_way in 65536 -R 65536 -k 65528:b8 -s
}

# through_files [pipe] SIZE OPTION...: ./in is sorted with little memory, from a file and from a
# pipe, or only from that.
through_files()
{
    local from size
    take_turns file pipe
    [ "$1" != pipe ] || { TURNS=(pipe) && shift; }
    size=$1
    shift
    reference "$@" in >wanted || return
    for from in "${TURNS[@]}"; do
        if [ "$from" = file ]; then
            gsort "$@" -S "$size" -T . --verify --stats in -o got 2>stats || return
        else
            # shellcheck disable=SC2002  # a pipe is what is tested
            cat in | gsort "$@" -S "$size" -T . --verify --stats 2>stats >got || return
        fi
        if ! assert_same wanted got ||
            ! grep -Eq 'through temporary files|combined first' stats; then
            echo "by: -S $size $*, from a $from" >&2
            return 1
        fi
        assert_only in wanted got stats
    done
}

@test "records through temporary files, in each direction" {
    local options
    keygen gray 200000 >in
    take_turns "" -r -u -s "-r -u"
    local some=("${TURNS[@]}") # through_files takes turns, too
    for options in "${some[@]}"; do
        # shellcheck disable=SC2086  # options are words
        through_files 4M -R 100 -k 0:b10 $options
    done
    keygen --record=100 --type=u16 narrow 200000 >in
    take_turns "" -r -u -s "-r -s" "-u -s" "-r -u"
    some=("${TURNS[@]}")
    for options in "${some[@]}"; do
        # shellcheck disable=SC2086  # options are words
        through_files 4M -R 100 -k 0:u16 $options
    done
}

@test "records of one key, and paths, through temporary files" {
    keygen --record=100 --type=u32 equal 200000 >in
    through_files 4M -R 100 -k 0:u32
    through_files 4M -R 100 -k 0:u32 -s
    through_files 4M -R 100 -k 0:u32 -u
    head -c 20000000 /dev/zero >in
    through_files 4M -R 100 -k 0:u32
    through_files 4M -R 100 -k 0:u32 -u
    keygen paths 200000 >in
    through_files 4M -R 96 -k 0:b88
    through_files 4M -R 96 -k 0:b88 -u
}

@test "long records through temporary files, when a pipe has filled memory with them" {
    local bytes
    for bytes in 1000 4000 65536; do
        keygen --record="$bytes" --type=b10 uniform $((48000000 / bytes)) >in
        through_files pipe 16M -R "$bytes" -k 0:b10
    done
}
