#!/usr/bin/env python3
"""triples.py [RUNS] -- 4 Mi triples in the order predicate, object, subject, beside random records.

Processor seconds (user and system) of whole processes, medians of RUNS (11) pairs by turns, of
files in the page cache. GSORT names another program, BENCH_DIR where files go (300 MB). numpy is
needed.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile

import numpy as np

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 11
COUNT = 4 << 20
SORT = [os.path.abspath(os.environ.get("GSORT", "./gsort"))]
SORT += "-R 24 -k 8:u64 -k 16:u64 -k 0:u64".split()


def make_inputs():
    rng = np.random.default_rng(3)
    subjects = rng.integers(0, 1 << 24, COUNT)
    objects = (rng.random(COUNT) ** 3 * 1e5).astype("<u8")
    np.stack([subjects, rng.integers(0, 100, COUNT), objects], 1).astype("<u8").tofile("tied")
    rng.integers(0, 1 << 62, 3 * COUNT).astype("<u8").tofile("random")


def seconds(arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(SORT + arguments + ["-o", "sorted"], check=True, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(name, first, second):
    times = [(seconds(first), seconds(second)) for _ in range(RUNS)]
    one, other = (statistics.median(column) for column in zip(*times))
    print(f"{name:22} {one:.3f} {other:.3f} s  {other / one:.2f}", flush=True)


with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
    os.chdir(folder)
    make_inputs()
    compare("random, triples", ["random"], ["tied"])
    for option in ("-u", "--verify"):
        for name in ("tied", "random"):
            compare(f"{name}, with {option}", [name], [option, name])
