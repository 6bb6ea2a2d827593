# Ranks and .npy files: types that differ in any part, and headers without room.
# SPDX-License-Identifier: MIT

load ../npy
load ranks

setup()
{
    enter_ranks
    for rank in 0 1 2; do
        keygen --seed="$rank" uniform 20 >"raw-$rank"
    done
}

@test "--local: files of other types are refused" {
    for other in "[('a', '<u4'), ('t', '<M8[ns]', (0,)), ('b', '<u4')]" \
        "[('a', '<u4'), ('c', '<u4')]" "[('a', '<u4'), ('b', '<f4')]" \
        "[('a', '<u4'), ('b', '<U1')]" "[('a', '<u4'), (('t', 'b'), '<u4')]" \
        "[('a', '<u4'), ('b', '<u4', (1,))]" "[('a', '<u4'), ('', '|V4')]"; do
        for rank in 0 1 2; do
            for file in 0 1 2; do
                type="[('a', '<u4'), ('b', '<u4')]"
                [ "$file" != "$rank" ] || type=$other
                npy_text 1 "$(dictionary "$type" '(10,)')" <"raw-$file" >"in-$file.npy"
            done
            run --separate-stderr ranks 3 --local -k a 'in-%r.npy' -o 'out-%r.npy'
            assert_one_line "its records are not those of rank 0's files"
            [ ! -e out-0.npy ] && [ ! -e out-1.npy ] && [ ! -e out-2.npy ]
            is_expensive || break
        done
    done
    npy_text 1 "$(dictionary "[('a', '<u4'), ('b', '<u4')]" '(10,)')" <raw-0 >in-0.npy
    cp raw-1 in-1.npy
    cp in-0.npy in-2.npy
    run --separate-stderr ranks 3 --local -k a 'in-%r.npy' -o 'out-%r.npy'
    [ "$status" -ne 0 ]
}

@test "--local: headers without room for the counts" {
    for rank in 0 1 2; do
        keygen --seed="$rank" uniform 9 | npy_text 1 "$(dictionary "'<u4'" '(9,)')" >"in-$rank.npy"
    done
    keygen --seed=1 uniform 900 | npy_text 1 "$(dictionary "'<u4'" '(900,)')" >in-1.npy
    ranks 3 --local 'in-%r.npy' -o 'out-%r.npy' --verify
    gsort -c out-0.npy out-1.npy out-2.npy
    gsort out-0.npy out-1.npy out-2.npy -o all
    gsort in-0.npy in-1.npy in-2.npy -o wanted
    cmp <(tail -c 3672 all) <(tail -c 3672 wanted)
    head -c 128 all | grep -aq "'shape': (918,)"
}

@test "shards without room become one file" {
    for rank in 0 1 2; do
        npy_text 1 "$(dictionary "'<u8'" '(10,)')" <"raw-$rank" >"in-$rank.npy"
    done
    ranks 3 in-0.npy in-1.npy in-2.npy -o out
    gsort in-0.npy in-1.npy in-2.npy -o wanted
    assert_same wanted out
    head -c 128 out | grep -aq "'shape': (30,)"
}
