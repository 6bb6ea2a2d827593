# python.py -- libgsort through gsort.py, beside numpy: sort and argsort in memory.
# SPDX-License-Identifier: MIT
#
# usage: PYTHONPATH=DIR GSORT_LIBRARY=libgsort.so.0 python3 tests/bench/python.py [LOG2_N [RUNS]]
#
# Medians of alternating runs, wall time and processor time (user + sys) in seconds, and numpy's as
# multiples of ours. Random values; each result is compared with numpy's. Positions of equal keys
# ascend; numpy's do so only with kind="stable", its default is measured, too.
import resource
import sys
import time

import numpy

import gsort

log2_n = int(sys.argv[1]) if len(sys.argv) > 1 else 26
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
n = 1 << log2_n
random = numpy.random.default_rng(1)
arrays = {
    "u32": random.integers(0, 1 << 32, n, "u4"),
    "u64": random.integers(0, 1 << 64, n, "u8"),
    "f64": random.random(n),
}
comparisons = [
    ("sort", "u32", gsort.sort, numpy.sort),
    ("sort", "u64", gsort.sort, numpy.sort),
    ("sort", "f64", gsort.sort, numpy.sort),
    ("argsort", "f64", gsort.argsort, lambda a: numpy.argsort(a, kind="stable")),
    ("argsort, default,", "f64", gsort.argsort, numpy.argsort),
]


def timed(call, a):
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    result = call(a)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_SELF)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result


print("| 2^%d | gsort, wall and processor | numpy %s | wall, processor |" % (log2_n, numpy.__version__))
print("|---|---|---|---|")
for name, kind, ours, numpys in comparisons:
    a = arrays[kind]
    times = ([], [])
    for run in range(runs):
        results = [None, None]
        for which in (0, 1) if run % 2 == 0 else (1, 0):
            wall, processor, results[which] = timed((ours, numpys)[which], a)
            times[which].append((wall, processor))
        if numpys is numpy.argsort:
            results = [a[result] for result in results]
        assert (results[0] == results[1]).all(), name + " " + kind
        del results
    medians = [[sorted(column)[runs // 2] for column in zip(*rows)] for rows in times]
    print("| %s %s | %.3f %.3f | %.3f %.3f | %.1fx %.1fx |" %
          (name, kind, *medians[0], *medians[1], *(b / a for a, b in zip(*medians))), flush=True)
