# --print shows the records of the inputs as text, in their order in the files.
# SPDX-License-Identifier: MIT

load ../npy

setup()
{
    without_gpu "types of every size, which --print reads on the CPU"
    enter_directory
}

# shows TEXT ARG...: print lines of these fields, each with tabs between; the text is printf's.
shows()
{
    # shellcheck disable=SC2059  # it has escapes
    printf "$1" >expected
    shift
    gsort "$@" >shown
    diff expected shown
}

@test "integers of up to 8 bytes are what od makes of them" {
    keygen uniform 5000 >in
    for size in 1 2 4 8; do
        for kind in u i; do
            [ $kind = u ] && form=u || form=d
            type=$kind$((8 * size))
            od -An -v "-t$form$size" "-w$size" --endian=little in | tr -d ' ' >expected
            gsort -t "$type" --print in | cmp expected
            [ $size -gt 1 ] || continue
            od -An -v "-t$form$size" "-w$size" --endian=big in | tr -d ' ' >expected
            gsort -t "${type}be" --print in | cmp expected
        done
    done
}

@test "numbers of 16 bytes, and floating-point numbers, in both orders of bytes" {
    local ones=ffffffffffffffff zeros=0000000000000000
    while read -r type digits text; do
        for order in "" be; do
            {
                if [ -n "$order" ]; then
                    printf '%s' "$digits"
                else
                    fold -w 2 <<<"$digits" | tac | tr -d '\n'
                fi
            } | sed 's/../\\x&/g' >escaped
            printf '%b' "$(<escaped)" >in
            [ "$(gsort -t "$type$order" --print in)" = "$text" ]
        done
    done <<END
u128 $ones${ones%f}e 340282366920938463463374607431768211454
u128 0000000000000001$zeros 18446744073709551616
i128 8${zeros#0}$zeros -170141183460469231731687303715884105728
f16 2e66 0.1
f16 0001 6e-08
f16 fbff -6.55e+04
bf16 3f81 1.01
bf16 ff80 -inf
f32 3dcccccd 0.1
f32 00000001 1e-45
f32 80000000 -0
f32 7fc00000 nan
f32 ffc00000 -nan
f32 7f800001 nan(0x1)
f64 3fb999999999999a 0.1
f64 3fb999999999999b 0.10000000000000002
f64 7ff0000000000000 inf
f64 40f86a0000000000 100000
END
}

@test "records: keys in the order of their bytes, and what is between them" {
    printf 'ab\1\0cd\2\0ef\377\377' >in
    shows '0x6162\t1\n0x6364\t2\n0x6566\t-1\n' -R 4 -k 2:i16 --print in
    shows '97\t0x6201\t0\n99\t0x6402\t0\n' -R 4 -k 3:u8r -k 0:u8 --print=2 in
    shows '0x61620100636402006566ffff\n' -R 12 --print in
    shows '0x61620100\n0x63640200\n0x6566ffff\n' -t b4 --print in
    keygen uniform 500 >wide
    od -An -v -tx1 -w1000 wide | tr -d ' ' | sed 's/^/0x/' | diff - <(gsort -R 1000 --print wide)
}

@test "several inputs, a pipe, --skip; no more than N records, and no input that is behind them" {
    keys 5 3 >a
    keys 9 1 >b
    mkfifo nobody
    shows '5\n3\n9\n1\n' --print a b
    shows '5\n3\n9\n' --print=3 a - <b
    shows '3\n1\n' --print=3 --skip=4 a b
    shows '5\n3\n' --print=2 a nobody
    shows '' --print=0 a nobody
    shows '3\n5\n1\n' --print <(keys 3 5 1)
    keygen uniform 700000 >long
    od -An -v -tu4 -w4 long | tr -d ' ' >expected
    gsort --print <(cat long) | cmp expected
}

@test "a .npy file: all fields by their names, whatever they are, of a pipe, too" {
    descr="[('p', [('x', '<u4'), ('q', [('y', '>i2')])]), ('', '|V2'), ('t', '<M8[ns]'),"
    descr+=" ('c', '<c8'), ('a', '<u2', (2,)), ('s', '|S3')]"
    {
        printf '\1\0\0\0\377\376??\0\1\0\0\0\0\0\0'
        printf '\0\0\200\77\0\0\0\300\1\0\2\0xyz'
    } | npy_text 1 "$(dictionary "$descr" '(1,)')" >in.npy
    text='#p.x\tp.q.y\tt\tc[0]\tc[1]\ta[0]\ta[1]\ts\n'
    text+='1\t-2\t1970-01-01T00:00:00.000000256\t1\t-2\t1\t2\t0x78797a\n'
    shows "$text" --print in.npy
    shows "$text" --print <(cat in.npy)
    shows "$text" --print -k p.x:r in.npy
    printf '\0\0\300\77' | npy "'<f4'" 1 >plain.npy
    shows '1.5\n' --print plain.npy
    shows '1.5\n' --print -t f32 plain.npy
    run -2 --separate-stderr gsort --print -k nothing in.npy
    assert_trouble "there is no field"
    [ -z "$output" ]
}

@test "floating-point numbers are read back by numpy as what they were" {
    need_numpy
    python3 - <<'END'
import numpy as np
bits = np.random.default_rng(1).integers(0, 256, 240000, np.uint8).tobytes()
for kind in ("<f2", ">f4", "<f8"):
    a = np.frombuffer(bits, kind).copy()
    a[~np.isfinite(a)] = 1
    np.save(kind[1:] + ".npy", a)
END
    for kind in f2 f4 f8; do
        gsort --print $kind.npy >$kind.txt
        python3 - $kind <<'END'
import sys, numpy as np
a = np.load(sys.argv[1] + ".npy")
lines = open(sys.argv[1] + ".txt").read().split()
b = np.array([float(line) for line in lines]).astype(a.dtype)
assert a.tobytes() == b.tobytes()
shortest = [np.format_float_scientific(x, unique=True) for x in a]
digits = lambda text: len(text.lower().lstrip("-").split("e")[0].replace(".", "").strip("0"))
# numpy's may lie just between two numbers.
for x, y, z, below in zip(lines, shortest, np.abs(a), np.nextafter(np.abs(a), a.dtype.type(0))):
    off = abs(abs(float(y)) - float(z))
    assert digits(x) <= digits(y) or off * 2 >= float(z) - float(below), (x, y)
END
    done
}

@test "options that would change what is shown are refused, and text to the input" {
    keys 1 2 >in
    for option in -r -u -s --verify --stats --argsort=u32 --plan --resume "-o out" -c -C -m; do
        # shellcheck disable=SC2086  # two words
        run -2 --separate-stderr gsort --print $option in
        assert_trouble "options "
        [ -z "$output" ]
    done
    [ ! -e out ]
    run -2 --separate-stderr bash -c 'gsort --print in >>in'
    assert_trouble "in: is input and standard output"
    keys 1 2 | cmp in
    run -2 --separate-stderr gsort --print=x in
    assert_trouble "--print"
}

@test "what is no array of records is refused; of a pipe, at its end" {
    keys 1 2 >in
    printf x >>in
    run -2 --separate-stderr gsort --print in
    assert_trouble "size 9 is not a multiple of 4"
    [ -z "$output" ]
    run -2 --separate-stderr gsort --print <(cat in)
    [[ $stderr == "gsort: /dev/fd/"*"size 9 is not a multiple of 4"* ]]
    [ "$output" = $'1\n2' ]
    run -2 --separate-stderr bash -c 'keygen uniform 9 | gzip | gsort --print'
    assert_trouble "gzip"
    [ -z "$output" ]
    keys 1 2 >x.f64
    run -2 --separate-stderr gsort --print x.f64
    assert_trouble "-t f64"
}

@test "a reader that goes ends it like sort(1); a full disk is an error" {
    keygen uniform 100000 >in
    run -0 bash -c 'gsort --print in | head -n 1 >/dev/null; [ "${PIPESTATUS[0]}" -eq 141 ]'
    run -2 --separate-stderr bash -c 'trap "" PIPE; gsort --print in | head -n 1 >/dev/null
        exit "${PIPESTATUS[0]}"'
    assert_trouble "standard output: write failed: Broken pipe"
    run -2 --separate-stderr bash -c 'gsort --print in >/dev/full'
    assert_trouble "standard output: write failed: No space left on device"
}
