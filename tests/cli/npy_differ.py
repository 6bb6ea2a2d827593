#!/usr/bin/env python3
"""npy_differ.py -- does gsort take the .npy headers that numpy takes, and no other?
SPDX-License-Identifier: MIT

usage: npy_differ.py GSORT COUNT SEED       in an empty directory

Headers are drawn at random, in all notations of Python, and half of them damaged. gsort has to sort
what numpy.load takes, but for the limits that the man page names, and to refuse the rest with one
line. A sorted array has the type, the shape and the records of the input. Exit status 0: no
difference, 1: some, 77: no numpy.
"""
import ast
import random
import re
import struct
import subprocess
import sys
import warnings

try:
    import numpy
except ImportError:
    sys.exit(77)
warnings.simplefilter("ignore")
impl = getattr(numpy.lib, "_format_impl", None) or numpy.lib.format

UNITS = "Y M W D h m s ms us ns ps fs as generic".split()
PLAIN = re.compile(r"[<>|=]?(\?|[biufcSUV][0-9]{1,7}|[Mm]0*8|[Mm]8\[[0-9]{0,9}(%s)\])" % "|".join(UNITS))
PIECES = ["'", '"', "(", ")", "[", "]", "{", "}", ",", ":", " ", "\n", "\r\n", "\t", "\f", "\v", "#", "\\", "L", "l", "0",
          "1", "2", "8", "_", "-", "+", ".", "0x", "True", "None", "u", "b", "r", "<", ">", "|", "=", "f8", "O", "M8",
          "[s]", "\\x41", "\\u00e9", "\\101", "\xe9", "\\N", "''", "'''", "''", "('a', '<u2')", ", ()", "1,", "\0"]


def draw_plain(rnd):
    kind = rnd.choice("biufSV" * 4 + "cMmU?")
    if kind == "?":
        return rnd.choice(["?", "|?", "<?"])
    if kind in "Mm":
        return rnd.choice("<>") + kind + "8" + rnd.choice(["", "[%s%s]" % (rnd.choice(["", "", "25", "1"]), rnd.choice(UNITS))])
    size = {"b": [1] * 9 + [2], "f": [2, 4, 8] * 3 + [16, 3], "c": [8, 16, 32] * 3 + [4], "i": [1, 2, 4, 8] * 4 + [16],
            "u": [1, 2, 4, 8] * 4 + [3], "S": [1, 7, 20] * 2 + [0], "V": [1, 3, 8] * 2 + [0], "U": [1, 4] * 2 + [0]}[kind]
    return rnd.choice(["<", ">", "|", "=", "", "<", ">"]) + kind + rnd.choice(["", "", "", "", "0"]) + str(rnd.choice(size))


def draw_type(rnd, depth=0):
    if depth == 3 or rnd.random() < (0.5 if depth == 0 else 0.8):
        return draw_plain(rnd)
    if depth > 0 and rnd.random() < 0.2:
        return (draw_type(rnd, depth + 1), draw_shape(rnd))
    fields = []
    for i in range(rnd.choice([1, 1, 2, 2, 3, 5])):
        name = rnd.choice(["a", "b", "", "x%d" % i, "f%d" % i, "f%d" % i, "f%d" % i, "id%d" % i, "\xe9%d" % i, "a b:r"])
        if rnd.random() < 0.1:
            name = (rnd.choice(["t%d" % i, "b", "", None]), name)
        field = [name, draw_type(rnd, depth + 1)]
        if rnd.random() < 0.2:
            field.append(draw_shape(rnd))
        fields.append(tuple(field) if rnd.random() < 0.95 else field)
    return fields


def draw_shape(rnd):
    return rnd.choice([(2,), (2, 3), (), 1, 3, [2], (0,), (1,), (1, 1), (2, 0), 0])


def write_string(rnd, text, version):
    out, raw = "", rnd.random() < 0.05
    quote = rnd.choice(["'", "'", "'", '"', "'''"])
    for c in text:
        code = ord(c)
        if not raw and rnd.random() < 0.03 or (code > 255 and version < 3):
            out += rnd.choice(["\\u%04x" % code] + (["\\x%02x" % code, "\\%03o" % code] if code < 256 else []))
        else:
            out += c
    whole = rnd.choice(["", "", "", "", "", "u", "U"]) if not raw else rnd.choice("rR")
    return whole + quote + out + quote


def write(rnd, value, version):
    """A value in some notation of Python's."""
    blank = (lambda: rnd.choice(["", "", " ", " ", "  ", "\n", "\t", "# c\n"])) if rnd.random() < 0.1 else (lambda: "")
    space = lambda: blank() or " "
    if isinstance(value, str):
        if len(value) > 1 and rnd.random() < 0.05:
            return write_string(rnd, value[:1], version) + space() + write_string(rnd, value[1:], version)
        return write_string(rnd, value, version)
    if isinstance(value, bool) or value is None:
        return repr(value)
    if isinstance(value, int):
        text = repr(value) if rnd.random() < 0.9 else rnd.choice([hex(value), bin(value), oct(value), "+%d" % value])
        return text + (rnd.choice(["L", " L"]) if rnd.random() < 0.1 else "")
    if isinstance(value, dict):
        items = [write(rnd, key, version) + blank() + ":" + space() + write(rnd, item, version) for key, item in value.items()]
    else:
        items = [write(rnd, item, version) for item in value]
    brackets = "()" if isinstance(value, tuple) else "[]" if isinstance(value, list) else "{}"
    last = "," if brackets == "()" and len(items) == 1 or items and rnd.random() < 0.2 else ""
    text = brackets[0] + blank() + ("," + space()).join(items) + last + blank() + brackets[1]
    return "(" + text + ")" if rnd.random() < 0.01 else text


def damage(rnd, text):
    for _ in range(rnd.choice([1, 1, 1, 2])):
        i, j = sorted(rnd.randrange(len(text) + 1) for _ in range(2))
        how = rnd.random()
        if how < 0.4:
            text = text[:i] + rnd.choice(PIECES) + text[i:]
        elif how < 0.6:
            text = text[:i] + text[i + 1:]
        elif how < 0.9:
            text = text[:i] + rnd.choice(PIECES) + text[i + 1:]
        else:
            j = min(j, i + rnd.randrange(1, 8))
            text = text[:i] + text[j:]
    return text


def draw_header(rnd):
    version = rnd.choice([1, 1, 2, 3])
    count = rnd.choice([0, 1, 2, 7, 12, 30])
    entries = [("descr", draw_type(rnd)), ("fortran_order", rnd.random() < 0.3),
               ("shape", rnd.choice([(count,)] * 8 + [(), (count, 1), (count, 3), (count, 2, 1), [count], count]))]
    if rnd.random() < 0.2:
        rnd.shuffle(entries)
    text = write(rnd, dict(entries), version)
    text += rnd.choice(["", "\n", " " * rnd.randrange(70) + "\n", "\r\n", "\t\n", " # c\n", "\n\n", " "])
    if rnd.random() < 0.05:
        text = rnd.choice([" ", "\n", "\t", "# c\n", "\n "]) + text
    if rnd.random() < 0.4:
        text = damage(rnd, text)
    return version, text.encode("utf8" if version == 3 else "latin1", "replace")


def is_nothing(descr):
    dtype = numpy.lib.format.descr_to_dtype(descr)
    return dtype.itemsize == 0 and dtype.names is None


def is_written_so(descr):
    """Is the type in a form that the man page names?"""
    if isinstance(descr, str):
        return PLAIN.fullmatch(descr) is not None
    if isinstance(descr, tuple):
        return len(descr) == 2 and is_written_so(descr[0]) and not is_nothing(descr[0])
    for field in descr:
        if not isinstance(field, (tuple, list)):
            return False
        name = field[0]
        if isinstance(name, tuple) and not isinstance(name[0], (str, type(None))):
            return False
        if not is_written_so(field[1]) or (len(field) == 3 and is_nothing(field[1])):
            return False
    return True


def limits(version, text):
    """Why gsort may refuse what numpy takes, or None."""
    string = text.decode("utf8" if version == 3 else "latin1")
    if "\\N" in string or "\\\n" in string or "\\\r" in string or re.search(r"\r(?!\n)", string):
        return "notation"
    if len(re.findall(r"'''|\"\"\"", string)) and "\r" in string:
        return "notation"
    if re.search(r"[-+][\s(]*\(", string):
        return "notation"
    value = ast.literal_eval(impl._filter_header(string) if version < 3 else string)
    if not is_written_so(value["descr"]):
        return "type"
    shape = value["shape"]
    if len(shape) > 2 or any(n < 0 for n in shape):
        return "shape"
    if len(shape) == 2 and (shape[1] == 0 or not isinstance(value["descr"], str) or value["fortran_order"] and shape[1] > 1):
        return "rows"
    return None


def is_key(dtype):
    return dtype.itemsize > 0 and dtype.names is None and dtype.subdtype is None and (
        dtype.kind in "biuSVmM" or dtype.kind == "f" and dtype.itemsize <= 8)


def choose_keys(dtype):
    """Options that name keys; None if there are none."""
    if dtype.names is None:
        return [] if is_key(dtype) else None
    if not dtype.names:
        return None
    if all(is_key(dtype[name]) for name in dtype.names):
        return []
    for name in dtype.names:
        if is_key(dtype[name]) and "\0" not in name and name.isprintable():
            return ["-k", name]
    return None


def main(gsort, count, seed):
    bad = taken = refused = 0
    for number in range(count):
        rnd = random.Random("%s %d" % (seed, number))
        version, text = draw_header(rnd)
        head = b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text
        data = b"\0" * 64
        array = None
        try:
            with open("in.npy", "wb") as file:
                file.write(head)
            with open("in.npy", "rb") as file:
                numpy.lib.format.read_magic(file)
                shape, _, dtype = impl._read_array_header(file, (version, 0))
            size = int(numpy.prod(shape, dtype=numpy.int64)) * dtype.itemsize
            data = rnd.randbytes(size) if 0 <= size < 1 << 20 else data
        except Exception:
            pass
        with open("in.npy", "wb") as file:
            file.write(head + data)
        try:
            array = numpy.load("in.npy")
        except Exception:
            pass
        keys, why = [], "numpy refuses it"
        if array is not None:
            why = limits(version, text)
            keys = choose_keys(array.dtype)
            if why is None and (keys is None or not 0 < array.dtype.itemsize <= 65536 or array.dtype.subdtype is not None):
                why, keys = "no keys", keys or []
        ran = subprocess.run([gsort] + (keys or []) + ["in.npy", "-o", "out.npy"], stdin=subprocess.DEVNULL, capture_output=True)
        said = ran.stderr.decode("utf8", "replace")
        what = None
        if why is None and ran.returncode != 0:
            what = "refused"
        elif why is not None and ran.returncode != 2 and array is None:
            what = "taken"
        elif ran.returncode not in (0, 2) or (ran.returncode == 2) != (said.count("\n") == 1):
            what = "status %d" % ran.returncode
        elif why is None:
            taken += 1
            out = numpy.load("out.npy")
            if out.dtype != array.dtype or out.shape != array.shape:
                what = "another array"
            whole = open("out.npy", "rb").read()
            step = array.dtype.itemsize * (array.shape[1] if array.ndim == 2 else 1)
            pieces = lambda b: sorted(b[i:i + step] for i in range(0, len(b), step))
            if whole[:len(head)] != head or pieces(whole[len(head):]) != pieces(data):
                what = "other records"
        if array is None:
            refused += 1
        if what is not None:
            bad += 1
            print("seed %s, %d: %s (%s): %r %s %s" % (seed, number, what, why, text, keys, said.strip()))
    print("%d headers, %d sorted, %d that numpy refuses, %d bad" % (count, taken, refused, bad))
    return bad > 0


sys.exit(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
