#!/usr/bin/env python3
"""npy_rows.py -- does gsort sort rows and dates as numpy does?
SPDX-License-Identifier: MIT

usage: npy_rows.py GSORT COUNT SEED       in an empty directory

Arrays of two dimensions of random types, NaN and NaT among them, are sorted by random columns; dates
of all units are printed. numpy makes the same by lexsort, unique and str. Exit status 0: no
difference.
"""
import subprocess
import sys

import numpy

TYPES = ["<i4", ">i8", "<u2", "|u1", "<M8[s]", ">m8[25us]", "<f4", ">f8"]
UNITS = "Y M W D h m s ms us ns ps fs as 25s 3Y".split()


def run(gsort, *words):
    done = subprocess.run([gsort, *words], stdin=subprocess.DEVNULL, capture_output=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def draw_array(random):
    dtype = numpy.dtype(str(random.choice(TYPES)))
    shape = int(random.choice([0, 1, 50, 5000])), int(random.integers(1, 6))
    values = random.integers(0, 9, shape) - (0 if dtype.kind == "u" else 4)
    array = (values / 2 if dtype.kind == "f" else values).astype(dtype)
    if dtype.kind in "Mmf":
        array[random.random(shape) < 0.2] = "NaT" if dtype.kind in "Mm" else "nan"
    return array


def ranks(column, descending):
    """Where the values are among all of the column; those that are not equal to themselves last."""
    none = column != column
    rank = numpy.searchsorted(numpy.unique(column[~none]), column)
    rank[none] = len(column)
    return -rank if descending else rank


def check_array(gsort, random):
    array = draw_array(random)
    count, width = array.shape
    numpy.save("in.npy", array)
    columns = [(int(c), bool(random.integers(2))) for c in random.permutation(width)[:random.integers(1, width + 1)]]
    words = ["-k", ",".join("%d%s" % (c, ":r" if down else "") for c, down in columns)]
    if random.integers(3) == 0:
        words, columns = [], [(c, False) for c in range(width)]
    if random.integers(2) == 0:
        words += ["-S", "2M"]
    order = numpy.lexsort([ranks(array[:, c], down) for c, down in columns][::-1])
    wanted = array[order]
    run(gsort, "-s", *words, "--verify", "in.npy", "-o", "out.npy")
    check(wanted, numpy.load("out.npy"), words)
    run(gsort, "-s", *words, "--head=7", "in.npy", "-o", "out.npy")
    check(wanted[:7], numpy.load("out.npy"), words)
    places = numpy.frombuffer(run(gsort, "--argsort=u32", *words, "in.npy"), "<u4")
    assert places.tolist() == order.tolist(), words
    names = [c for c, _ in columns]
    first = [i == 0 or wanted[i][names].tobytes() != wanted[i - 1][names].tobytes() for i in range(count)]
    run(gsort, "-s", "-u", *words, "in.npy", "-o", "out.npy")
    check(wanted[numpy.array(first, bool)], numpy.load("out.npy"), words)
    run(gsort, "-s", "-u", "--count=u32", *words, "in.npy", "-o", "out.npy")
    counted = numpy.load("out.npy")
    starts = numpy.flatnonzero(first)
    assert counted["count"].tolist() == numpy.diff(numpy.append(starts, count)).tolist(), words
    check(wanted[starts], counted["key"], words)


def check(wanted, got, words):
    assert wanted.dtype == got.dtype and wanted.shape == got.shape, (words, wanted.dtype, got.dtype, wanted.shape, got.shape)
    assert wanted.tobytes() == got.tobytes(), words


def check_units(gsort, random):
    for unit in UNITS:
        values = random.integers(-2**62, 2**62, 500) >> random.integers(0, 62, 500)
        values >>= 12 if unit in ("Y", "3Y", "M") else 8 if unit in ("W", "D", "h", "25s", "m") else 0
        values[0] = numpy.iinfo("i8").min
        dates = values.view("M8[%s]" % unit)
        dates.tofile("dates")
        shown = run(gsort, "--print", "-t", "M8[%s]" % unit, "dates").decode().split("\n")
        assert shown[:-1] == [str(date) for date in dates], unit
        run(gsort, "-t", "M8[%s]" % unit, "dates", "-o", "out")
        assert numpy.sort(dates).tobytes() == open("out", "rb").read(), unit


def main(gsort, count, seed):
    for number in range(count):
        check_array(gsort, numpy.random.default_rng([seed, number]))
    check_units(gsort, numpy.random.default_rng(seed))


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
