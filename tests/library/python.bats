# gsort.py: arrays and files sorted from Python, as installed.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "the library sorts on the CPU"
    require python3
    enter_directory
    PYTHON=python3
    if ! python3 -c 'import numpy' 2>/dev/null && [ -x /usr/bin/python3 ]; then
        PYTHON=/usr/bin/python3
    fi
    export PYTHONPATH=$LIBRARY/lib/python3/dist-packages:$ROOT/tests/library
    export PYTHONDONTWRITEBYTECODE=1
}

@test "buffers of Python itself: sorted, in place, positions, merged, checked" {
    "$PYTHON" - <<'END'
import array, gsort
a = array.array("i", [3, -1, 2])
assert gsort.sort(a) == array.array("i", [-1, 2, 3]) and a[0] == 3
assert list(gsort.argsort(a)) == [1, 2, 0]
assert gsort.check(a) == 1
assert gsort.sort(a, out=a) is a and gsort.check(a) is None
assert list(gsort.merge([a, array.array("i", [0])])) == [-1, 0, 2, 3]
assert gsort.sort(bytearray(b"b1a2a1"), "R2 k0:b1 s") == b"a2a1b1"
assert list(gsort.sort(array.array("d", [2, 1, 2]), unique=True)) == [1, 2]
assert gsort.sort(bytearray()) == b""
END
}

@test "arrays of NumPy, which is not imported for others" {
    "$PYTHON" -c 'import sys, gsort; assert "numpy" not in sys.modules'
    "$PYTHON" -c 'import numpy' 2>/dev/null || skip "no numpy"
    "$PYTHON" - <<'END'
import numpy, gsort
for kind in "u1 i2 >u2 u4 i8 f2 f4 >f8".split():
    a = (numpy.arange(20000) * 7919 % 10007 - 5000).astype(kind)
    assert (gsort.sort(a) == numpy.sort(a)).all(), kind
    assert (gsort.argsort(a) == numpy.argsort(a, kind="stable")).all(), kind
    assert (gsort.sort(a, unique=True) == numpy.unique(a)).all(), kind
END
}

@test "errors are exceptions with the line of the command, and a callback's go through" {
    "$PYTHON" - <<'END'
import array, gsort
from fails import fails
a = array.array("d", range(9))
assert fails(gsort.Error, lambda: gsort.sort(a, "f65"), "invalid type", "f65").status == "usage"
fails(ValueError, lambda: gsort.sort(a, out=a[:2]), "no room")
fails(ValueError, lambda: gsort.sort(a, "R5"), "records of 5")
fails(BufferError, lambda: gsort.sort(a, out=b" " * 72))
assert fails(gsort.Error, lambda: gsort.sort(a, progress=lambda *how: True)).status == "cancelled"
fails(ZeroDivisionError, lambda: gsort.sort(a, progress=lambda *how: 1 // 0))
assert fails(gsort.Error, lambda: gsort.sort_files("none", "out"), "none: ").status == "input"
END
    [ -z "$(ls)" ]
}

@test "arrays in the memory of a GPU say where they are; without one, that is an error" {
    CUDA_VISIBLE_DEVICES='' "$PYTHON" - <<'END'
import array, gsort
from fails import fails
class Fake:
    def __init__(self, typestr="<u4", **more):
        self.__cuda_array_interface__ = {"shape": (9,), "typestr": typestr, "data": (4096, False),
                                         "version": 3, **more}
a = Fake()
assert fails(gsort.Error, lambda: gsort.sort(a, out=a)).status == "device"
empty = Fake(shape=(0,), data=(0, False))
assert gsort.sort(empty, out=empty) is empty
fails(ValueError, lambda: gsort.sort(a), "out=a sorts in place")
fails(ValueError, lambda: gsort.sort(a, out=a, threads=2), "threads")
fails(ValueError, lambda: gsort.sort(a, out=Fake("<u2")), "no room for 9")
fails(ValueError, lambda: gsort.sort(Fake("<c8"), out=a), "say by a format")
fails(ValueError, lambda: gsort.sort(Fake(shape=(3, 3)), out=a), "one dimension")
fails(BufferError, lambda: gsort.sort(Fake(strides=(8,)), out=a), "not contiguous")
fails(BufferError, lambda: gsort.sort(a, out=Fake(data=(4096, True))), "read-only")
END
}

@test "files, as the command sorts, merges and checks them" {
    keygen uniform 10000 >a.bin
    "$PYTHON" - <<'END'
import gsort
assert gsort.sort_files(["a.bin"], "out.bin", "u32be r") == 10000
assert gsort.check_files("out.bin", "u32be r") is None
assert gsort.check_files("out.bin", "u32be").startswith("out.bin:1: disorder: ")
assert gsort.merge_files(["out.bin", "out.bin"], "two.bin", "u32be r", unique=True) <= 10000
assert gsort.sort_files(["a.bin"], "read.bin", "u32be r", skip=4, read=True) == 9999
END
    gsort -t u32be -r a.bin -o wanted
    assert_same out.bin wanted
    gsort -t u32be -r --skip=4 a.bin -o wanted
    assert_same read.bin wanted
}

@test "a sorter: pushed from threads, pulled in several orders, in memory and not" {
    "$PYTHON" - <<'END'
import array, gsort, os, random, threading
rows = [(random.randrange(9), i) for i in range(200000)]
def pack(some):
    return array.array("I", [number for row in some for number in row])
for memory in 0, 1:
    with gsort.Sorter("R8 k0:u32 k4:u32", "R8 k4:u32r", memory=memory, directories=["."]) as sorter:
        threads = [threading.Thread(target=lambda i=i: sorter.push(pack(rows[i::4])))
                   for i in range(4)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert b"".join(sorter) == pack(sorted(rows)).tobytes()
        assert b"".join(sorter.pull(1)) == pack(rows[::-1]).tobytes()
        try: sorter.push(pack(rows))
        except gsort.Error as error: assert error.status == "usage"
        else: assert False
sorter = gsort.Sorter("u32", memory=1, directories=["."], progress=lambda *how: 1 // 0)
try:
    for i in range(50): sorter.push(pack(rows))
    for batch in sorter: pass
except ZeroDivisionError: pass
else: assert False
sorter.close()
assert not os.listdir(".")
END
}

@test "a sorter: three orders of one copy, given up and reversed; one of each key; of none" {
    "$PYTHON" - <<'END'
import array, gsort, os, random
formats = "R24 k0:u64 k8:u64 k16:u64", "R24 k8:u64r k16:u64r k0:u64r", "R24 k16:u64 k0:u64"
def pack(some):
    return array.array("Q", [number for row in some for number in row])
for values in 1 << 60, 3:
    rows = [tuple(random.randrange(values) for i in range(3)) for i in range(100000)]
    first = {}
    for row in sorted(rows): first.setdefault((row[2], row[0]), row)
    for unique in False, True:
        with gsort.Sorter(*formats, memory=1, unique=unique, directories=["."]) as sorter:
            for i in range(0, len(rows), 999): sorter.push(pack(rows[i:i + 999]))
            turned = sorted(set(rows) if unique else rows, key=lambda row: row[1:] + row[:1])
            assert b"".join(sorter.pull(1)) == pack(turned[::-1]).tobytes()
            next(sorter.pull(0))
            last = first.values() if unique else rows
            last = sorted(last, key=lambda row: (row[2], row[0], row[1]))
            assert b"".join(sorter.pull(2)) == pack(last).tobytes()
    with gsort.Sorter(*formats, memory=1, directories=["."]) as sorter:
        sorter.push(pack(rows))
        assert b"".join(sorter) == pack(sorted(rows)).tobytes()
with gsort.Sorter("u8", "u8", memory=1, directories=["."]) as sorter:
    assert not b"".join(sorter.pull(1))
assert not os.listdir(".")
END
}

@test "the example" {
    run -0 "$PYTHON" "$ROOT/tests/library/examples/sort_array.py"
    [ "$output" = "1 2 3 5 8" ]
}
