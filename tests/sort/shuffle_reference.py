#!/usr/bin/env python3
"""shuffle_reference.py SEED RECORD_BYTES [SKIP] -- the random order of gsort --shuffle=SEED, of what
standard input has, as the manual page says it. Shares no code with gsort.
"""
import sys

import numpy as np

M = (1 << 64) - 1
BINS, MIXED = 4096, 65536


def random(seed, index):
    """Number `index` of a seed; of many, index is an array."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) * np.uint64(0xD1342543DE82EF95)
        z = z + (np.asarray(index, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def mix(node, order):
    """Fisher and Yates, from the end."""
    order = list(order)
    numbers = random(node, np.arange(len(order) + 64)).tolist()
    halves = [half for n in numbers for half in (n & 0xFFFFFFFF, n >> 32)]
    at = 0
    for left in range(len(order), 1, -1):
        while True:
            product = halves[at] * left
            at += 1
            if product & 0xFFFFFFFF >= (1 << 32) % left:
                break
        other = product >> 32
        order[left - 1], order[other] = order[other], order[left - 1]
    return order


def deal(node, count):
    numbers = random(node, np.arange(count // 4 + 1))
    parts = (numbers[:, None] >> np.array([0, 16, 32, 48], dtype=np.uint64)) & np.uint64(BINS - 1)
    bins = parts.reshape(-1)[:count].astype(np.int64)
    by_bin = np.argsort(bins, kind="stable")
    ends = np.cumsum(np.bincount(bins, minlength=BINS))
    return [by_bin[ends[i - 1] if i else 0:ends[i]] for i in range(BINS)]


def shuffled(seed, count):
    order = []
    for bin_number, places in enumerate(deal(seed, count)):
        node = int(random(seed ^ M, bin_number))
        if len(places) <= MIXED:
            order += mix(node, places)
            continue
        for inner, inner_places in enumerate(deal(node, len(places))):
            order += mix(int(random(node ^ M, inner)), places[inner_places])
    return np.array(order, dtype=np.int64)


def main():
    seed, record_bytes = int(sys.argv[1]), int(sys.argv[2])
    skip = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    data = sys.stdin.buffer.read()
    records = np.frombuffer(data, dtype=np.uint8, offset=skip).reshape(-1, record_bytes)
    sys.stdout.buffer.write(data[:skip] + records[shuffled(seed, len(records))].tobytes())


if __name__ == "__main__":
    main()
