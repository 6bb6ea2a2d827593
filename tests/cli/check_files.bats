# -c and -C check several files as one: each in order, and each continuing the one before it.
# SPDX-License-Identifier: MIT

load ../helper

# The formats here are the CPU's.
export GSORT_DEVICE=

# disorder WHERE ARG...: gsort -c ARG... says "WHERE: disorder", and -C only exits with 1.
disorder()
{
    local where=$1
    shift
    run -1 --separate-stderr gsort -c "$@"
    [[ $stderr == "gsort: $where: disorder: "* && ${#stderr_lines[@]} -eq 1 ]] || {
        echo "by gsort -c $*: $stderr" >&2
        return 1
    }
    run -1 --separate-stderr gsort -C "$@"
    [ -z "$output$stderr" ]
}

# in_order ARG...: gsort -c ARG... is content.
in_order()
{
    run -0 --separate-stderr gsort -c "$@"
    [ -z "$output$stderr" ]
}

@test "the parts of a sorted file, empty ones among them" {
    keygen uniform 300000 >in
    gsort in -o sorted
    split -b 250000 -d sorted part-
    : >part-02a
    : >part-99
    in_order part-*
    in_order part-99 part-00 part-99
    keygen zero-one 1000 >in
    gsort -r in -o sorted
    split -b 400 -d sorted down-
    in_order -r down-*
    run -1 --separate-stderr gsort -C down-*
}

@test "a disorder within a file, and one between two" {
    keys 1 2 >a
    keys 2 3 >b
    keys 9 8 >c
    : >empty
    in_order a b
    disorder a:0 b a
    disorder a:0 b empty empty a
    disorder c:1 a b c
    keys 8 1 >d
    in_order -r c empty d
    disorder c:0 -r d c
    disorder a:1 -r c a b
}

@test "-u: keys are different across files, too" {
    keys 1 2 >a
    keys 2 3 >b
    keys 3 4 >c
    in_order -u a c
    disorder b:0 -u a b
    disorder c:0 -u b c
    disorder a:0 a -u a
}

@test "files, pipes and standard input" {
    keys 1 2 >a
    keys 3 4 >b
    keys 4 5 >c
    mkfifo pipe
    for _ in 1 2; do
        cat b >pipe &
        run -0 gsort -c a pipe - <c
        cat b >pipe &
        run -1 --separate-stderr gsort -cu a pipe - < <(cat c)
        [[ $stderr == "gsort: -:0: disorder: 4 after "* ]]
        cat a >pipe &
        run -1 --separate-stderr gsort -c b pipe c
        [[ $stderr == "gsort: pipe:0: disorder: 1 after "* ]]
    done
}

@test "types, and records of any size" {
    keygen uniform 60000 >in
    local options
    for options in '-t f64' '-t u128 -r' '-R 12 -k 4:u16' '-R 100 -k 30:b5' '-R 20 -k 0:u8 -s'; do
        # shellcheck disable=SC2086  # options are words
        set -- $options
        head -c 240000 in >all
        [[ $options != *128* ]] || head -c 239616 in >all
        gsort "$@" all -o sorted
        split -b $((100 * 12 * 16 * 5)) -d sorted part-
        [ -z "${GSORT_DEVICE:-}" ] || [[ $options != *-R\ [12]0* ]] || continue
        in_order "$@" part-*
        disorder part-00:0 "$@" part-01 part-00
        rm part-*
    done
}

@test "NumPy arrays, whose headers must agree" {
    require python3
    python3 -c '
import struct
def npy(name, kind, values):
    shape = ("descr", kind, "fortran_order", "shape", len(values))
    head = "{%r: %r, %r: False, %r: (%d,), }" % shape
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.write(struct.pack("<%d%s" % (len(values), "q" if kind == "<i8" else "d"), *values))
npy("a.npy", "<i8", [-3, 2])
npy("b.npy", "<i8", [2, 5])
npy("f.npy", "<f8", [6.0])
'
    in_order a.npy b.npy
    disorder b.npy:0 -u a.npy b.npy
    disorder a.npy:0 b.npy a.npy
    run -2 --separate-stderr gsort -c a.npy f.npy
    assert_trouble f.npy
    cp b.npy file
    mkfifo pipe
    cat file >pipe &
    run -0 gsort -c a.npy pipe
}

@test "a file that cannot be read is trouble, whatever the others have" {
    keys 2 1 >a
    run -2 --separate-stderr gsort -c a no-such-file
    assert_trouble no-such-file
    printf 'abcde' >odd
    run -2 --separate-stderr gsort -C a odd
    assert_trouble odd
}

@test "more files than may be open at once" {
    keygen sorted 2000 >in
    split -b 8 -a 4 -d in part-
    run -0 bash -c 'ulimit -n 64; gsort -C part-*'
    [ "$(compgen -G 'part-*' | wc -l)" -eq 1000 ]
}
