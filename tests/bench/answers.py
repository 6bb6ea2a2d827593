#!/usr/bin/env python3
"""answers.py [RUNS] -- counts, sums, sets and random orders, beside what else does them.

Processor seconds (user and system) of whole processes, medians of RUNS (5) runs in turn, by two
threads, of files in the page cache. GSORT names another program, BENCH_DIR where files go (1.2 GB),
SCALE=N makes all inputs N times as short. numpy is needed; DuckDB is measured if its module is there.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile

import numpy as np

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
SCALE = int(os.environ.get("SCALE", 1))
GSORT = [os.path.abspath(os.environ.get("GSORT", "./gsort")), "-j2"]
EIGHTH = ["-S", "24M"] if SCALE == 1 else ["-S", "%dM" % max(2, 24 // SCALE)]
# Peers run in processes of their own, which read and write the same files.
KMERS = "[('k', '<u8'), ('n', '<u4')]"
PEERS = {
    "numpy, unique and add.reduceat": """
import numpy as np
a = np.fromfile("kmers", %s)
o = np.argsort(a["k"], kind="stable")
k, i = np.unique(a["k"][o], return_index=True)
out = np.empty(len(k), a.dtype)
out["k"], out["n"] = k, np.add.reduceat(a["n"][o], i)
out.tofile("peer")""" % KMERS,
    "DuckDB, GROUP BY and ORDER BY": """
import duckdb, numpy as np
a = np.fromfile("kmers", %s)
kmers = {"k": np.ascontiguousarray(a["k"]), "n": np.ascontiguousarray(a["n"])}
duckdb.sql("SET threads = 2; SET enable_progress_bar = false")
r = duckdb.sql("SELECT k, sum(n)::UINTEGER AS n FROM kmers GROUP BY k ORDER BY k").fetchnumpy()
out = np.empty(len(r["k"]), a.dtype)
out["k"], out["n"] = r["k"], r["n"]
out.tofile("peer")""" % KMERS,
    "numpy, setdiff1d": """
import numpy as np
np.setdiff1d(np.fromfile("a", "S20"), np.fromfile("b", "S20")).tofile("peer")""",
    "numpy, permutation": """
import numpy as np
np.random.default_rng(1).permutation(np.fromfile("u64", "<u8")).tofile("peer")""",
}


def has(module):
    found = subprocess.run([sys.executable, "-c", "import " + module], capture_output=True)
    return found.returncode == 0


def seconds(commands):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for command in commands:
        subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(title, ways, base):
    """ways: name -> commands; all run in turn. Print each, as a multiple of the first."""
    times = {name: [] for name in ways}
    for _ in range(RUNS):
        for name, commands in ways.items():
            times[name].append(seconds(commands))
    medians = {name: statistics.median(list_) for name, list_ in times.items()}
    print("\n| %s | s | x |\n|---|---|---|" % title)
    for name, median in medians.items():
        print("| %s | %.2f | %.2f |" % (name, median, median / medians[base]), flush=True)


def peer(name):
    return [[sys.executable, "-c", PEERS[name]]]


def make_inputs():
    rng = np.random.default_rng(1)
    count = (1 << 24) // SCALE
    kmers = np.empty(count, eval(KMERS))
    values = rng.integers(0, 1 << 62, count // 4, dtype=np.uint64)
    kmers["k"] = values[rng.integers(0, len(values), count)]
    kmers["n"] = rng.integers(1, 100, count)
    kmers.tofile("kmers")
    hashes = rng.integers(1, 256, (6400000 // SCALE, 20), dtype=np.uint8)
    order = rng.permutation(len(hashes))
    hashes[:4400000 // SCALE].tofile("a")
    hashes[order[:4000000 // SCALE]].tofile("b")
    rng.integers(0, 1 << 64, (1 << 25) // SCALE, dtype=np.uint64).tofile("u64")
    rng.integers(0, 1 << 16, (1 << 26) // SCALE, dtype=np.uint32).tofile("few")


def measure():
    records = ["-R", "12", "-k", "0:u64", "--format=raw", "kmers", "-o", "out"]
    for memory in [], EIGHTH:
        ways = {"-u": [GSORT + memory + ["-u"] + records],
                "--sum": [GSORT + memory + ["--sum=8:u32"] + records]}
        if not memory:
            ways["numpy, unique and add.reduceat"] = peer("numpy, unique and add.reduceat")
            if has("duckdb"):
                ways["DuckDB, GROUP BY and ORDER BY"] = peer("DuckDB, GROUP BY and ORDER BY")
            else:
                print("no DuckDB: its module is not there, and it was NOT measured")
        compare("k-mers summed %s" % " ".join(memory), ways, "--sum")
    for memory in [], EIGHTH:
        sort = GSORT + memory + ["-t", "b20", "--format=raw"]
        ways = {"sort both": [sort + ["a", "-o", "sorted-a"], sort + ["b", "-o", "sorted-b"]],
                "sort the second, --minus": [sort + ["b", "-o", "sorted-b"],
                                             sort + ["--minus=sorted-b", "a", "-o", "out"]]}
        if not memory:
            ways["numpy, setdiff1d"] = peer("numpy, setdiff1d")
        compare("hashes not in a list %s" % " ".join(memory), ways, "sort the second, --minus")
    for memory in [], EIGHTH:
        compare("2^26 u32 of 2^16 values %s" % " ".join(memory), {
            "sort": [GSORT + memory + ["few", "-o", "out"]],
            "--count": [GSORT + memory + ["--count=u32", "few", "-o", "out"]]}, "sort")
    for kind, name in ("u64", "u64"), ("u128", "u64"), ("u32", "few"):
        for memory in [], EIGHTH:
            line = GSORT + memory + ["-t", kind, name, "-o", "out"]
            ways = {"sort": [line], "--shuffle": [line + ["--shuffle=1"]]}
            if kind == "u64" and not memory:
                ways["numpy, permutation"] = peer("numpy, permutation")
            compare("%s in a random order %s" % (kind, " ".join(memory)), ways, "sort")


def main():
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as directory:
        os.chdir(directory)
        make_inputs()
        measure()


if __name__ == "__main__":
    main()
