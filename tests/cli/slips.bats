# A slip on the command line empties no file, and sorts none as what it is not.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 1000 >in
    cp in old
    reference in >wanted
}

# The shell has emptied `in`; its other content is lost, but not unnoticed.
@test "a file redirected into itself is not sorted to nothing" {
    run -2 --separate-stderr bash -c 'gsort in >in'
    assert_trouble "in: is input and standard output, and is empty by now: gsort in -o in sorts"
    for command in 'gsort <in >in' 'gsort -m in >in' 'gsort old in >in' 'cat old | gsort - in >in' \
        'gsort -r in -o /dev/stdout >in' 'gsort ./in >in' 'ln -s in link && gsort link >in'; do
        cp old in
        run -2 --separate-stderr bash -c "$command"
        assert_trouble "is input and standard output" "-o"
        [ ! -s in ]
    done
}

@test "a file appended to itself stays as it is" {
    for command in 'gsort in >>in' 'gsort <in >>in' 'gsort old in >>in' 'gsort -m in >>in'; do
        run -2 --separate-stderr bash -c "$command"
        assert_trouble "is input and standard output, which would grow: gsort "
        cmp old in
    done
    gsort old >>in
    cat old wanted | cmp - in
}

@test "in place by 1<> is meant" {
    gsort in 1<>in
    assert_same wanted in
}

@test "a forgotten operand empties no file" {
    for options in "" -m "-t f32" --plan; do
        # shellcheck disable=SC2086  # words
        run -2 --separate-stderr gsort $options -o in </dev/null
        assert_trouble "in: would be emptied, for no FILE is named" "gsort in -o in sorts it"
        cmp old in
    done
}

@test "inputs that are really empty give an empty output" {
    : >empty
    for command in 'gsort empty -o out' 'gsort - -o out </dev/null' 'gsort /dev/null -o out' \
        ': | gsort -o out' 'gsort -o out <empty' 'gsort empty empty -m -o out'; do
        cp in out
        bash -o pipefail -c "$command"
        [ -e out ] && [ ! -s out ]
    done
    : | gsort >out
    [ ! -s out ]
    rm out
    gsort -o out </dev/null
    [ -e out ] && [ ! -s out ]
    : >out
    gsort -o out </dev/null
    gsort </dev/null | cmp - empty
    gsort empty -o empty
}

@test "-o=FILE and the like" {
    run -2 --separate-stderr gsort in -o=out
    assert_trouble "-o=out: the '=' belongs to long options: write -o out, or ./=out for a name"
    for option in -S=1M -R=4 -t=f64 -T=. -e=auto; do
        run -2 --separate-stderr gsort "$option" in -o out
        assert_trouble "$option: the '=' belongs to long options"
    done
    assert_only in old wanted
    gsort in -o ./=out
    cmp wanted =out
}

@test "keys are not waited for from a terminal" {
    require_terminal
    for options in "" "-o out" "-c"; do
        run -2 timeout 20 script -q -e -c "\"\$GSORT\" $options" typed </dev/null
        grep -q 'no FILE is named, and standard input is a terminal' typed
    done
}

@test "a name that ends in a type is not taken for another" {
    keygen --type=f64 uniform 1000 >x.f64
    cp x.f64 before
    for name in x.f64 x.F64 dir.u16/x.i64 y.u32be z.f32.bf16 x.u128BE; do
        mkdir -p "$(dirname "$name")" && cp before "$name"
        run -2 --separate-stderr gsort "$name" -o "$name"
        assert_trouble "$name: its name says " "without -t it is taken for u32: use -t "
        cmp before "$name"
        run -2 --separate-stderr gsort -c in "$name"
        assert_trouble "$name: its name says "
        gsort --format=raw "$name" -o out
        gsort -t u32 "$name" | cmp out -
        gsort -R 8 "$name" -o out
    done
    run -2 --separate-stderr gsort x.f64
    assert_trouble "use -t f64; -t u32 or --format=raw insists"
    gsort -t f64 x.f64 -o x.f64
    gsort -t f64 -c x.f64
}

@test "other names are nobody's type" {
    for name in x.u32 x.U32 x.bin x.u x.f64.bin x.f64z f64 .f646 x.b8 x. x.r x.u33; do
        cp in "$name"
        gsort "$name" -o "$name"
        cmp wanted "$name"
    done
}

@test "a terminal is told once what was taken for granted" {
    require_terminal
    script -q -e -c '"$GSORT" in -o out' typed </dev/null >/dev/null
    [ "$(grep -c 'note: sorted as u32, as neither -t nor -R says what the files are' typed)" -eq 1 ]
    script -q -e -c '"$GSORT" -c out; "$GSORT" --print=1 out' typed </dev/null >/dev/null
    [ "$(grep -Ec 'note: (check|print)ed as u32, as neither' typed)" -eq 2 ]
    printf '\x93NUMPY\x01\0\x76\0%-117s\n' \
        "{'descr': '<u4', 'fortran_order': False, 'shape': (1000,), }" | cat - in >x.npy
    for options in "-t u32 in" "-R 4 in" "--format=raw in" x.npy; do
        script -q -e -c "\"\$GSORT\" $options -o out" typed </dev/null >/dev/null
        run ! grep note: typed
    done
    run -0 --separate-stderr gsort in -o out
    [ -z "$stderr" ]
}
