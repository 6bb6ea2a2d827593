#!/usr/bin/env python3
"""torture_answers.py WHAT BYTES... -- what more answers are of sorted records on standard input,
whose key is the u32 in front. Shares no code with gsort; needs numpy.

fold BYTES          of each key the first record, with its greatest u32 at 4, its least i16 at 8 and
                    the sum of the big-endian u32s at 12; "overflow" if one has no room
minus BYTES KNOWN u less a sorted file's records, one by one or, if u is 1, whole keys
common BYTES KNOWN u  only those
offsets BYTES       where each key from 0 on begins, as u64
small FILE...       cut the keys in files of u32 to 12 bits, without reading anything
"""
import sys
from collections import Counter

import numpy as np


def keys_of(records):
    return records[:, :4].copy().view("<u4").ravel()


def fold(records):
    keys = keys_of(records)
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])) if len(keys) else []
    out = records[starts].copy() if len(keys) else records

    def column(kind, at):
        return records[:, at:at + np.dtype(kind).itemsize].copy().view(kind).ravel()

    if len(keys) == 0:
        return out
    sums = np.add.reduceat(column(">u4", 12).astype(np.uint64), starts)
    if (sums >> np.uint64(32)).any():
        return None
    out[:, 4:8] = np.maximum.reduceat(column("<u4", 4), starts).reshape(-1, 1).view(np.uint8)
    out[:, 8:10] = np.minimum.reduceat(column("<i2", 8), starts).reshape(-1, 1).view(np.uint8)
    out[:, 12:16] = sums.astype(">u4").reshape(-1, 1).view(np.uint8)
    return out


def pair(records, known, common, whole):
    left = Counter(keys_of(known).tolist())
    kept, last = [], None
    for i, key in enumerate(keys_of(records).tolist()):
        if whole:
            paired, again = left[key] > 0, key == last
        else:
            paired, again = left[key] > 0, False
            left[key] -= paired
        if paired == common and not again:
            kept.append(i)
        last = key
    return records[kept]


def main():
    what = sys.argv[1]
    if what == "small":
        for name in sys.argv[2:]:
            (np.fromfile(name, "<u4") & 0xFFF).tofile(name)
        return
    size = int(sys.argv[2])
    records = np.frombuffer(sys.stdin.buffer.read(), np.uint8).reshape(-1, size)
    if what == "fold":
        out = fold(records)
    elif what == "offsets":
        keys = keys_of(records)
        most = int(keys[-1]) + 2 if len(keys) else 1
        out = np.searchsorted(keys, np.arange(most)).astype("<u8")
    else:
        known = np.fromfile(sys.argv[3], np.uint8).reshape(-1, size)
        out = pair(records, known, what == "common", sys.argv[4] == "1")
    sys.stdout.buffer.write(b"overflow" if out is None else out.tobytes())


if __name__ == "__main__":
    main()
