# python.py -- libgsort through gsort.py, beside numpy: sort and argsort in memory.
# SPDX-License-Identifier: MIT
#
# usage: PYTHONPATH=DIR GSORT_LIBRARY=libgsort.so.0 python3 tests/bench/python.py [LOG2_N [RUNS]]
#
# Medians of alternating runs, wall time and processor time (user + sys) in seconds. Random values;
# each result is compared with numpy's.
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
calls = {
    "sort": (gsort.sort, numpy.sort),
    "argsort": (gsort.argsort, lambda a: numpy.argsort(a, kind="stable")),
}


def timed(call, a):
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    result = call(a)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_SELF)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result


print("| 2^%d | gsort, wall and processor | numpy %s | wall |" % (log2_n, numpy.__version__))
print("|---|---|---|---|")
for name, kind in [("sort", "u32"), ("sort", "u64"), ("sort", "f64"), ("argsort", "f64")]:
    times = ([], [])
    for _ in range(runs):
        results = []
        for which, call in enumerate(calls[name]):
            wall, processor, result = timed(call, arrays[kind])
            times[which].append((wall, processor))
            results.append(result)
        assert (results[0] == results[1]).all(), name + " " + kind
    medians = [[sorted(column)[runs // 2] for column in zip(*rows)] for rows in times]
    print("| %s %s | %.3f %.3f | %.3f %.3f | %.1fx |" %
          (name, kind, *medians[0], *medians[1], medians[1][0] / medians[0][0]))
