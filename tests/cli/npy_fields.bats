# -k names fields of .npy files: several with commas, and those of structures within.
# SPDX-License-Identifier: MIT

load ../npy

setup()
{
    enter_directory
    keygen uniform 3000 >raw
    descr="[('p', [('x', '<u4'), ('q', [('y', '>u2'), ('z', '<u2')])]), ('k,k', '<f4')]"
    npy_text 1 "$(dictionary "$descr" '(1000,)')" <raw >in.npy
    reference -R 12 -k 4:u16ber -k 8:f32 -k 0:u32 raw >expected
}

@test "a field within a field, and several of them, however they are given" {
    while read -ra keys; do
        echo "${keys[*]}"
        gsort "${keys[@]}" in.npy -o out
        tail -c 12000 out | cmp expected -
        gsort "${keys[@]}" <(cat in.npy) | cmp out -
    done <<'END'
-k p.q.y:r -k k,k -k p.x
-k p.q.y:r,k,k
-k p.q.y:r,k,k -k p.x
END
}

@test "what is no field is refused, in one line" {
    while read -r key text; do
        run -2 --separate-stderr gsort -k "$key" in.npy -o out
        assert_trouble "$text"
    done <<'END'
p.a there is no field 'p.a'; its fields are: p k,k
p.x,a there is no field 'a'
p.x, there is no field ''
p..x there is no field 'p..x'
p. there is no field 'p.'
p cannot be sorted by field p: it is a structure: -k FIELD.FIELD is one in it
p.q.y,p.q.y:r overlap
END
}
