# --argsort of a .npy file, or to one, writes a .npy file of positions.
# SPDX-License-Identifier: MIT

load ../npy

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
        for command in 'in.npy -o out' 'in.npy >out' '<in.npy -o out' '<(cat in.npy) | cat >out' \
            'raw -o out.npy; mv out.npy out' '-S 1M -T . in.npy -o out' \
            '- -o out.npy <raw; mv out.npy out'; do
            echo "$command"
            bash -c "set -o pipefail; gsort --argsort=$type $command"
            cmp "wanted$bytes" out
        done
        gsort --argsort="$type" raw -o out
        tail -c $((3000 * bytes)) "wanted$bytes" | cmp - out
        head -c 6000 raw | npy "'<u4'" 1500 >a.npy
        tail -c 6000 raw | npy "'<u4'" 1500 >b.npy
        gsort --argsort="$type" a.npy <(cat b.npy) | cmp "wanted$bytes" -
        gsort --argsort="$type" <(cat a.npy) <(cat b.npy) | cmp "wanted$bytes" -
    done
}

@test "the first of each: as many as there are" {
    gsort -u --argsort=u32 <(cat raw raw) | npy "'<u4'" 3000 >wanted
    cat raw raw | npy "'<u4'" 6000 >in.npy
    gsort -u --argsort=u32 in.npy -o out
    cmp wanted out
    cat raw raw >double
    gsort -u --argsort=u32 double -o out.npy
    cmp wanted out.npy
    run -2 --separate-stderr bash -c 'set -o pipefail; gsort -u --argsort=u32 in.npy | cat'
    assert_trouble "use -o FILE"
}
