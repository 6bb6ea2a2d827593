# --argsort to a name that ends in .npy writes a .npy file of positions; else positions alone.
# SPDX-License-Identifier: MIT

load ../npy

export GSORT_DEVICE= # records for the CPU

setup()
{
    enter_directory
    keygen uniform 3000 >raw
    npy "'<u4'" 3000 <raw >in.npy
    gsort --argsort=u32 raw | npy "'<u4'" 3000 >wanted4
    gsort --argsort=u64 raw | npy "'<u8'" 3000 >wanted8
    [ "$(wc -c <wanted8)" -eq 24128 ]
}

@test "from files and pipes, to files and pipes" {
    for bytes in 4 8; do
        type=u$((8 * bytes))
        tail -c $((3000 * bytes)) "wanted$bytes" >plain
        for command in raw in.npy '<in.npy' '<(cat in.npy)' '-S 1M -T . in.npy' '- <raw'; do
            echo "$command"
            bash -c "gsort --argsort=$type -o out.npy $command"
            cmp "wanted$bytes" out.npy
            bash -c "gsort --argsort=$type -o out $command"
            cmp plain out
            bash -c "set -o pipefail; gsort --argsort=$type $command | cmp plain -"
        done
        head -c 6000 raw | npy "'<u4'" 1500 >a.npy
        tail -c 6000 raw | npy "'<u4'" 1500 >b.npy
        gsort --argsort="$type" a.npy <(cat b.npy) -o out.npy
        cmp "wanted$bytes" out.npy
    done
}

@test "the first of each: as many as there are" {
    gsort -u --argsort=u32 <(cat raw raw) | npy "'<u4'" 3000 >wanted
    cat raw raw | npy "'<u4'" 6000 >in.npy
    cat raw raw >double
    for input in in.npy double; do
        gsort -u --argsort=u32 "$input" -o out.npy
        cmp wanted out.npy
    done
    gsort -u --argsort=u32 in.npy | cat >out
    tail -c 12000 wanted | cmp - out
}
