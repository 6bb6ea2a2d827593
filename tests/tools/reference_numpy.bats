# The reference's order of every type is a refinement of numpy's.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "no gsort runs here"
    enter_directory
    PYTHON=${PYTHON:-python3}
    "$PYTHON" -c 'import numpy' 2>/dev/null || skip "there is no numpy"
}

# Ordered by number of type, numpy's dtype
types='u8 |u1
i8 |i1
u16 <u2
i16be >i2
u32be >u4
i32 <i4
u64 <u8
u64be >u8
i64be >i8
f16 <f2
f16be >f2
f32 <f4
f32be >f4
f64 <f8
f64be >f8
b7 |S7'

@test "numpy finds the values that the reference has sorted where it puts them" {
    while read -r type dtype; do
        keygen uniform 30000 "--type=$type" --specials >in
        reference -t "$type" in >out
        "$PYTHON" - "$dtype" <<'END'
import sys, numpy
read = lambda name: numpy.fromfile(name, dtype=sys.argv[1])
ours, theirs = read("out"), numpy.sort(read("in"))
nan = ours.dtype.kind == "f"
assert numpy.array_equal(ours, theirs, **({"equal_nan": True} if nan else {})), sys.argv[1]
END
    done <<<"$types"
}

@test "two keys are in numpy's lexical order, and ties stay where -s says" {
    keygen few 20000 --type=f64 --record=16 --specials >in
    reference -s -R 16 -k 0:f64 in >out
    "$PYTHON" - <<'END'
import numpy
a = numpy.fromfile("in", dtype=[("k", "<f8"), ("p", "<u8")])
b = numpy.fromfile("out", dtype=a.dtype)
a, b = a[~numpy.isnan(a["k"])], b[~numpy.isnan(b["k"])]
zero = a["k"] == 0 # numpy holds both zeros for equal
a, b = a[~zero], b[b["k"] != 0]
assert numpy.array_equal(a[numpy.argsort(a["k"], kind="stable")], b)
END
    keygen narrow 20000 --type=i32be --record=12 >in
    reference -R 12 -k 4:u8 -k 0:i32be in >out
    "$PYTHON" - <<'END'
import numpy
a = numpy.fromfile("in", dtype=[("k", ">i4"), ("p", "u1"), ("rest", "S7")])
b = numpy.fromfile("out", dtype=a.dtype)
order = numpy.lexsort((a["rest"], a["k"], a["p"]))
assert numpy.array_equal(a[order], b)
END
}
