# peers.py -- sort a file of numbers or pairs as the libraries of Python's world do
# SPDX-License-Identifier: MIT
"""usage: peers.py PEER u32|u64|i64|f64|pairs|gray IN OUT
       peers.py PEER                    exit status 0 if that library is here

PEER is numpy, polars, duckdb or chdb. A pair is a u64, the key, and another u64 that moves with it;
gray are records of 100 bytes with a key of 10, which only numpy and chdb sort from such a file.
Time is that of the whole process, and each library gets its data in the way that it is fastest: numpy
maps nothing and sorts in place, pairs by a stable argsort; polars and DuckDB take numpy's arrays as
columns; chdb reads and writes the file itself."""
import importlib
import sys

CODES = {"u32": "<u4", "u64": "<u8", "i64": "<i8", "f64": "<f8"}
NAMES = {"u32": "UInt32", "u64": "UInt64", "i64": "Int64", "f64": "Float64"}
COLUMNS = {"pairs": "k UInt64, v UInt64", "gray": "k FixedString(10), v FixedString(90)"}


def sort_numpy(kind, source, target):
    import numpy

    if kind == "pairs":
        pairs = numpy.fromfile(source, "<u8").reshape(-1, 2)
        pairs.take(numpy.argsort(pairs[:, 0], kind="stable"), axis=0).tofile(target)
        return
    if kind == "gray":
        records = numpy.fromfile(source, [("key", "S10"), ("rest", "V90")])
        records.take(numpy.argsort(records["key"])).tofile(target)
        return
    keys = numpy.fromfile(source, CODES[kind])
    keys.sort()
    keys.tofile(target)


def read_columns(kind, source):
    import numpy

    if kind != "pairs":
        return {"k": numpy.fromfile(source, CODES[kind])}
    pairs = numpy.fromfile(source, "<u8").reshape(-1, 2)
    return {"k": pairs[:, 0].copy(), "v": pairs[:, 1].copy()}


def write_columns(columns, target):
    import numpy

    whole = columns[0] if len(columns) == 1 else numpy.column_stack(columns)
    numpy.ascontiguousarray(whole).tofile(target)


def sort_polars(kind, source, target):
    import polars

    table = polars.DataFrame(read_columns(kind, source)).sort("k")
    write_columns([table[name].to_numpy() for name in table.columns], target)


def sort_duckdb(kind, source, target):
    import duckdb

    table = read_columns(kind, source)
    columns = duckdb.sql("SELECT * FROM table ORDER BY k".replace("table", '"table"')).fetchnumpy()
    write_columns([columns[name] for name in table], target)


def sort_chdb(kind, source, target):
    import chdb

    columns = COLUMNS.get(kind) or f"k {NAMES[kind]}"
    chdb.query(f"SELECT * FROM file('{source}', RowBinary, '{columns}') ORDER BY k "
               f"INTO OUTFILE '{target}' FORMAT RowBinary")


def main():
    importlib.import_module(sys.argv[1])
    if len(sys.argv) > 2:
        globals()["sort_" + sys.argv[1]](*sys.argv[2:])


main()
