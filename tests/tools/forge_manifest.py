# forge_manifest.py -- change what a manifest of --resume says, and give it a right checksum.
# SPDX-License-Identifier: MIT
#
# usage: forge_manifest.py MANIFEST LIE
#
# LIE: version, what the sample says (samples, no-bins, bins), or what the second chunk says (LIES).
# The format is that of common/files/journal.c; external_manifest.c has the entries. Those of a shuffle
# are in sort/shuffle/manifest.c: there is no sample, so LIES and OTHERS are about its third chunk.
import struct
import sys

MASK = (1 << 64) - 1


def mixed(seed, index):
    """gs_random of common/random.h."""
    z = (seed * 0xD1342543DE82EF95 + (index + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return z ^ z >> 31


def checksum(data, seed):
    """gs_checksum of common/files/journal.c."""
    total = mixed(seed, len(data))
    padded = data + bytes(-len(data) % 8)
    for (word,) in struct.iter_unpack("<Q", padded):
        total = ((total ^ word) * 0x9E3779B97F4A7C15) & MASK
        total ^= total >> 32
    return total


def read_entries(path):
    with open(path, "rb") as file:
        data = file.read()
    entries, at = [], 0
    while at + 16 <= len(data):
        size, wanted = struct.unpack_from("<QQ", data, at)
        entry = data[at + 16 : at + 16 + size]
        if len(entry) < size or checksum(entry, at + 16) != wanted:
            break
        entries.append(bytearray(entry))
        at += 16 + size
    return entries


def write_entries(path, entries):
    with open(path, "r+b") as file:
        file.truncate(0)
        at = 0
        for entry in entries:
            file.write(struct.pack("<QQ", len(entry), checksum(bytes(entry), at + 16)) + entry)
            at += 16 + len(entry)


INPUT, WRITTEN, _, HOME, OFFSET, TOTALS = range(6)  # the words of a chunk's entry
VERSION, SAMPLE, FIRST, SECOND = range(4)  # entries


def shift(words, more):
    """A bin's last key is said to be in the next one."""
    small = [1 < count < 9999 for count in more]
    bin = next(i for i in range(TOTALS, len(words) - 1) if small[i] and small[i + 1])
    words[bin] -= 1
    words[bin + 1] += 1


def lose(words, more):
    """The first bin has fewer keys than after the first chunk, and the last one those more."""
    words[TOTALS] -= more[TOTALS] + 1
    words[-1] += more[TOTALS] + 1


def gather(words, more):
    """All keys that are written are in the first bin, and none can be read there."""
    for i in range(TOTALS + 1, len(words)):
        if more[i] < 9999:
            words[i] -= more[i]
            words[TOTALS] += more[i]
    words[WRITTEN] = 0


def exceed(words, more):
    """More keys than the input has, of a value that is not written."""
    words[max(range(TOTALS, len(words)), key=lambda i: more[i])] += 1 << 31


def say_other(index):
    def change(words, _):
        words[index] ^= 1 << 7
    return change


LIES = {"shift": shift, "lose": lose, "gather": gather, "exceed": exceed,
        "input": say_other(INPUT), "written": say_other(WRITTEN), "home": say_other(HOME), "offset": say_other(OFFSET)}

# Of a shuffle's chunk: how many records it has, or where it is.
OTHERS = {"fewer": lambda count, *_: count - 1, "most": lambda count, *_: MASK >> 33, "zero": lambda *_: 0,
          "overflow": lambda *_: MASK}


def forge(entries, lie):
    entry = entries[SECOND]
    words = list(struct.unpack("<%dQ" % (len(entry) // 8), entry))
    before = struct.unpack("<%dQ" % len(words), entries[FIRST])
    more = [now - then for now, then in zip(words, before)]
    if lie == "version":
        entries[VERSION] = entries[VERSION].replace(b"gsort manifest 4\n", b"gsort manifest 1\n")
    elif lie == "samples":
        struct.pack_into("<I", entries[SAMPLE], 0, 0xFFFFFFFF)
    elif lie in ("no-bins", "bins"):
        struct.pack_into("<I", entries[SAMPLE], 4, 0 if lie == "no-bins" else 0xFFFFFFFE)
    elif lie == "longer":
        entry.extend(bytes(8))
    elif lie == "shorter":
        del entry[-8:]
    elif lie == "nothing":  # a chunk of no keys
        entries.insert(SECOND, bytearray(24) + entry[24:40] + entries[FIRST][40:])
    elif lie == "twice":  # the same chunk again
        entries.insert(SECOND, bytearray(entries[SECOND - 1]))
    elif lie == "missing":
        del entries[SECOND]
    elif lie == "other-place":
        entry[8:] = entries[SECOND - 1][8:]
    elif lie in OTHERS:
        struct.pack_into("<Q", entry, 0, OTHERS[lie](words[0]))
    else:
        LIES[lie](words, more)
        entry[:] = struct.pack("<%dQ" % len(words), *words)


entries = read_entries(sys.argv[1])
forge(entries, sys.argv[2])
write_entries(sys.argv[1], entries)
