# .npy files whose types differ in any part are not sorted together.
# SPDX-License-Identifier: MIT

load ../npy

# All of 8 bytes.
types=("'<u8'" "'>u8'" "'<i8'" "'<f8'" "'|S8'" "'|V8'"
    "[('a', '<u8')]" "[('b', '<u8')]" "[(('t', 'a'), '<u8')]" "[('a', '<i8')]" "[('a', '>u8')]"
    "[('a', '<u4'), ('b', '<M8[s]', (0,)), ('c', '<u4')]" "[('a', '<u4'), ('c', '<u4')]"
    "[('a', '<u4'), ('', '|V4')]" "[('a', '<u4'), ('c', '<f4')]"
    "[('a', '<u4'), ('c', '<u2', (2,))]"
    "[('a', '<u4'), ('c', '<u2', (2, 1))]" "[('a', '<u4'), ('c', '<U1')]"
    "[('a', '<u4'), ('c', '>U1')]" "[('a', '<u4'), ('c', [('x', '<u4')])]"
    "[('a', '<u4'), ('c', [('y', '<u4')])]"
    "[('a', '<u4'), ('c', '|V4')]" "[('a', '<u4'), ('c', '|S4')]")

make_files()
{
    local i
    for i in "${!types[@]}"; do
        keygen --seed="$i" uniform 6 | npy "${types[i]}" 3 >"$i.npy"
    done
}

# refuses COMMAND: in the way that is checked.
refuses()
{
    run -2 --separate-stderr bash -c "$1"
    assert_trouble "its records are not those of"
    [ ! -e out ]
}

@test "every pair of types of one size" {
    make_files
    key=(-k a)
    for i in "${!types[@]}"; do
        take_few "${!types[@]}"
        for j in "${TURNS[@]}"; do
            [ "$i" != "$j" ] || continue
            # Those with fields have one that is a key; the others are one.
            key=(-k a)
            [[ ${types[i]} == "["* ]] || key=()
            [[ ${types[i]} != *"'b', '<u8'"* ]] || key=(-k b)
            ! gsort "${key[@]}" "$i.npy" "$j.npy" -o out 2>err
            grep -q "$j.npy: its records are not those of $i.npy" err
        done
        gsort "${key[@]}" "$i.npy" "$i.npy" -o out
        rm out
    done
}

@test "dates of other units move with their records, but not together" {
    for unit in '' '[s]' '[ns]' '[10ns]' '[D]'; do
        keygen uniform 12 | npy "[('t', '<M8$unit'), ('k', '<u4')]" 4 >"date$unit.npy"
        keygen uniform 12 | npy "[('t', '<m8$unit'), ('k', '<u4')]" 4 >"time$unit.npy"
    done
    for a in ./*.npy; do
        take_turns ./*.npy
        for b in "${TURNS[@]}"; do
            [ "$a" != "$b" ] || continue
            ! gsort -k k "$a" "$b" -o out 2>err
            grep -q "its records are not those of" err
        done
    done
}

# shellcheck disable=SC2016  # bash -c expands
@test "by -m, of pipes, of standard input, and checked" {
    export GSORT_DEVICE= # a GPU does not sort these
    npy "[('k', '<u4'), ('t', '<M8[s]')]" 0 </dev/null >a.npy
    keygen sorted 3 | npy "[('k', '<u4'), ('t', '<M8[ns]')]" 1 >b.npy
    refuses 'gsort -k k a.npy b.npy -o out'
    refuses 'gsort -k k -m a.npy b.npy -o out'
    refuses 'gsort -k k -m <(cat a.npy) b.npy -o out'
    refuses 'gsort -k k -m a.npy <(cat b.npy) -o out'
    refuses 'gsort -k k <(cat a.npy) <(cat b.npy) -o out'
    refuses 'cat b.npy | gsort -k k a.npy - -o out'
    refuses 'gsort -k k - b.npy <a.npy -o out'
    refuses 'set -o pipefail; gsort -k k a.npy b.npy | cat'
    refuses 'gsort -k k -S 1M -T . <(cat a.npy) b.npy -o out'
    refuses 'gsort -k k -c a.npy b.npy'
    refuses 'gsort --argsort=u32 -k k a.npy b.npy -o out'
    refuses 'gsort --plan -k k a.npy b.npy'
}

@test "the same type in other words is the same" {
    keygen uniform 6 | npy "[('a', '<u4'), ('', '|V4'), ('b', '<f4', 1)]" 2 >a.npy
    keygen --seed=2 uniform 6 | npy "[['a', u'=u4'], ('', '|V1', (2, 2)), ('b', \"<f4\")]" 2 >b.npy
    tail -qc +129 a.npy b.npy | reference -R 12 -k 0:u32 -k 8:f32 >expected
    gsort a.npy b.npy -o out
    tail -c +129 out | cmp expected -
}
