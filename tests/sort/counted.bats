# Records of one or two bytes are counted, in the same little memory however many they are.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "records of one or two bytes"
    enter_directory
}

# little FILE: by these --stats, there were no temporary files, and no more than 4 MiB of memory.
little()
{
    awk '$1 == "memory" { memory = $2 } $1 == "temporary" { temporary = $2 }
        END { exit !(memory > 0 && memory < 4194304 && temporary == "0") }' "$1" && return
    cat "$1" >&2
    return 1
}

# shellcheck disable=SC2002  # a pipe is meant
@test "files and pipes, with and without a small -S" {
    for options in "-t u8" "-t i16be" "-t bf16 -r" "-R 2 -k 1:i8r" "-R 1"; do
        keygen --type=f32 --specials uniform 60000 >in
        # shellcheck disable=SC2086  # words
        for more in "" "-u"; do
            reference $options $more in >expected
            for memory in "" "-S 1M"; do
                gsort $options $more $memory --parallel=2 --verify --stats in -o out 2>stats
                cmp expected out && little stats
                cat in | gsort $options $more $memory --parallel=2 --verify --stats 2>stats |
                    cmp expected - && little stats
                cat in | gsort $options $more $memory --parallel=2 --stats in - -o out 2>stats
                [ -n "$more" ] || [ "$(wc -c <out)" -eq 480000 ]
                little stats
            done
        done
    done
}

@test "in place, with bytes in front, and several files" {
    keygen --type=f32 uniform 50000 >in
    for options in "-S 1M -t u16" "-t u16"; do
        # shellcheck disable=SC2086  # words
        {
            reference -t u16 in >expected
            cp in out
            gsort $options out -o out && cmp expected out
            cat in in in | reference -t u16 >expected
            gsort $options in - in < <(cat in) | cmp expected -
            tail -c +78 in | reference -t u8 | cat <(head -c 77 in) - >expected
            gsort -t u8 -S 1M --skip=77 in | cmp expected -
            gsort -t u8 -S 1M --skip=77 < <(cat in) | cmp expected -
        }
    done
}
