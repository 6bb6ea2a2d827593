# forge_manifest.py -- change what a manifest of --resume says, and give it a right checksum.
# SPDX-License-Identifier: MIT
#
# usage: forge_manifest.py MANIFEST N      one word of one entry becomes another; N chooses
#        forge_manifest.py MANIFEST version
#
# The format is that of common/files/journal.c; the first entry is left alone, but for the version.
import random
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


def forge(entries, number):
    draw = random.Random(number)
    entry = entries[1 + number % (len(entries) - 1)]
    way = draw.randrange(8)
    if way == 0:
        del entry[draw.randrange(len(entry)) :]
    elif way == 1:
        entry.extend(bytes(draw.randrange(1, 5000)))
    else:
        # The first words of an entry say where and how much; more of them are counts.
        words = len(entry) // 8
        i = draw.randrange(min(words, 8) if way < 5 else words)
        (old,) = struct.unpack_from("<Q", entry, 8 * i)
        new = draw.choice([0, 1, MASK, 1 << 63, 1 << 62, 1 << 32, old + 1, old - 1, old << 1,
                           old + (1 << 20), old ^ 1 << draw.randrange(64), draw.randrange(1 << 64)])
        struct.pack_into("<Q", entry, 8 * i, new & MASK)


entries = read_entries(sys.argv[1])
if sys.argv[2] == "version":
    entries[0] = entries[0].replace(b"gsort manifest 4\n", b"gsort manifest 1\n")
else:
    forge(entries, int(sys.argv[2]))
write_entries(sys.argv[1], entries)
