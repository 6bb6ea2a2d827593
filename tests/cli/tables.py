#!/usr/bin/env python3
"""tables.py -- FITS binary tables, LAS points and HDF5 datasets, sorted by gsort, and as numpy sorts them.
SPDX-License-Identifier: MIT

usage: tables.py fits|las|astropy|laspy|h5py|refused GSORT       in an empty directory

fits and las write files byte by byte and compare all bytes of the output with what is wanted; astropy
and laspy write the file and read the result by these libraries, and so does h5py, where all bytes are
compared, too; refused: what is no such dataset is, in one line. Exit status 0: no difference, 77:
there is no such library.
"""
import struct
import subprocess
import sys

import numpy

random = numpy.random.default_rng(1)


def run(gsort, *words):
    done = subprocess.run([gsort, *words], stdin=subprocess.DEVNULL, capture_output=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def every_way(gsort, name, rows, wanted):
    """Sort the file by some keys; wanted(order of rows) is what shall come out."""
    for words, order in rows:
        for ways in ([], ["-S", "1M", "--verify"], ["--parallel=1"], ["-m"] if order is None else ["--resume", "-S", "1M"]):
            run(gsort, "-s", *words, *ways, name, "-o", "out")
            assert open("out", "rb").read() == wanted(order), (words, ways)
        run(gsort, "-c", "-s", *words, "out")
        places = numpy.frombuffer(run(gsort, "--argsort=u64", *words, name), "<u8")
        assert places.tolist() == list(order), words
        data = open(name, "rb").read()
        run(gsort, "-s", *words, name, "-o", name)
        assert open(name, "rb").read() == wanted(order), words
        open(name, "wb").write(data)


def card(keyword, value):
    return ("%-8s= %20s" % (keyword, value)).ljust(80).encode()


def unit(cards, data):
    head = b"".join(cards) + b"END".ljust(80)
    return head.ljust(-(-len(head) // 2880) * 2880), data + b"\0" * (-len(data) % 2880)


def fits(gsort, count=60000):
    rows = numpy.zeros(count, [("id", ">i4"), ("flux", ">f8"), ("name", "S5"), ("u", ">i2"), ("v", ">f4", 3), ("heap", ">i4", 2)])
    rows["id"] = random.integers(-1000, 1000, count)
    rows["flux"] = random.normal(size=count)
    rows["flux"][::7] = numpy.nan
    rows["name"] = random.choice([b"M31", b"M5", b"NGC", b""], count)
    rows["u"] = random.integers(-32768, 32768, count)
    rows["heap"] = random.integers(0, 9, (count, 2))
    forms = ["J", "1D", "5A", "I", "3E", "1PE(9)"]
    cards = [card("XTENSION", "'BINTABLE'"), card("BITPIX", 8), card("NAXIS", 2), card("NAXIS1", rows.itemsize), card("NAXIS2", count),
             card("PCOUNT", 100), card("GCOUNT", 1), card("TFIELDS", 6), card("TZERO4", 32768)]
    for i, (name, form) in enumerate(zip(rows.dtype.names, forms), 1):
        cards += [card("TTYPE%d" % i, "'%-8s'" % name), card("TFORM%d" % i, "'%-8s'" % form)]
    image = unit([card("SIMPLE", "T"), card("BITPIX", -32), card("NAXIS", 2), card("NAXIS1", 30), card("NAXIS2", 40)], random.bytes(4800))
    other = unit([card("XTENSION", "'IMAGE   '"), card("BITPIX", 16), card("NAXIS", 1), card("NAXIS1", 5), card("PCOUNT", 0), card("GCOUNT", 1)], b"0123456789")
    heap = random.bytes(100)

    def whole(order):
        table = unit(cards, rows[order].tobytes() + heap)
        return b"".join(image + table + other + other)

    open("in.fits", "wb").write(whole(numpy.arange(count)))
    numbers = numpy.nan_to_num(rows["flux"], nan=numpy.inf)
    every_way(gsort, "in.fits", [
        (["-k", "id"], numpy.lexsort([rows["id"]])),
        (["-k", "flux,id"], numpy.lexsort([rows["id"], numbers])),
        (["-k", "name:r", "-k", "u"], numpy.lexsort([rows["u"], -numpy.unique(rows["name"], return_inverse=True)[1]])),
    ], whole)
    shown = run(gsort, "--print=1", "in.fits").decode().split("\n")
    assert shown[0] == "#id\tflux\tname\tu\tv[0]\tv[1]\tv[2]\theap", shown
    assert shown[1].split("\t")[0] == str(rows["id"][0])


def las(gsort, count=20000):
    sizes = [20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67]
    for form, size in enumerate(sizes):
        size += 3 * (form % 2)  # bytes that are added
        minor = 4 if form > 5 else 2
        begin = (375 if minor == 4 else 227) + 154
        head = bytearray(random.bytes(begin))
        head[:4] = b"LASF"
        head[24:26] = bytes([1, minor])
        struct.pack_into("<HII", head, 94, 375 if minor == 4 else 227, begin, 1)
        struct.pack_into("<BHI", head, 104, form, size, count if minor < 4 else 0)
        if minor == 4:
            struct.pack_into("<Q", head, 247, count)
        raw = random.integers(0, 256, (count, size), numpy.uint8)
        time = {1: 20, 3: 20, 4: 20, 5: 20}.get(form, 22 if form > 5 else None)
        keys = [(["-k", "Z"], raw[:, 8:12].copy().view("<i4").ravel()), (["-k", "intensity"], raw[:, 12:14].copy().view("<u2").ravel())]
        if time is not None:
            stamps = random.choice(random.normal(size=500), count)
            raw[:, time:time + 8] = stamps.view(numpy.uint8).reshape(count, 8)
            keys.append((["-k", "gps_time"], stamps))
        if form in (2, 3, 5, 7, 8, 10):
            red = {2: 20, 3: 28, 5: 28}.get(form, 30)
            keys.append((["-k", "green"], raw[:, red + 2:red + 4].copy().view("<u2").ravel()))
        tail = random.bytes(60 + 777)
        open("in.las", "wb").write(bytes(head) + raw.tobytes() + tail)
        every_way(gsort, "in.las", [(words, numpy.argsort(key, kind="stable")) for words, key in keys],
                  lambda order: bytes(head) + raw[order].tobytes() + tail)
        run(gsort, "-k", "zorder(X,Y)", "in.las", "-o", "out")
        assert sorted(open("out", "rb").read()) == sorted(open("in.las", "rb").read())


def astropy(gsort):
    try:
        from astropy.io import fits as library
        from astropy.table import Table
    except ImportError:
        sys.exit(77)
    table = Table({"id": random.integers(0, 2**31, 5000).astype("i4"), "mag": random.normal(size=5000), "u": random.integers(0, 2**16, 5000).astype("u2"),
                   "name": random.choice(["a", "bcd", "ef"], 5000), "pair": random.normal(size=(5000, 2)).astype("f4")})
    table.write("in.fits", overwrite=True)
    with library.open("in.fits", mode="append") as file:
        file.append(library.ImageHDU(numpy.arange(1000)))
    for column in ("mag", "u", "id"):
        run(gsort, "-s", "-k", column, "in.fits", "-o", "out.fits")
        wanted = table[numpy.argsort(table[column], kind="stable")]
        got = Table.read("out.fits", hdu=1)
        for name in table.colnames:
            plain = [value.decode() if isinstance(value, bytes) else value for value in got[name].tolist()]
            assert plain == wanted[name].tolist(), name
        with library.open("out.fits") as file:
            file.verify("exception")
            assert len(file) == 3 and (file[2].data == numpy.arange(1000)).all()


def laspy(gsort):
    try:
        import laspy as library
    except ImportError:
        sys.exit(77)
    for form in range(11):
        points = library.create(point_format=form, file_version="1.4" if form > 5 else "1.3")
        points.X = random.integers(-1000, 1000, 3000)
        points.intensity = random.integers(0, 65536, 3000)
        column = "X"
        if "gps_time" in points.point_format.dimension_names:
            points.gps_time = random.normal(size=3000)
            column = "gps_time"
        points.vlrs.append(library.VLR("me", 7, "text", b"kept"))
        points.write("in.las")
        run(gsort, "-s", "-k", column, "in.las", "-o", "out.las")
        order = numpy.argsort(numpy.asarray(points[column]), kind="stable")
        got = library.read("out.las")
        for name in points.point_format.dimension_names:
            assert (numpy.asarray(got[name]) == numpy.asarray(points[name])[order]).all(), (form, name)
        assert got.vlrs[-1].record_data_bytes() == b"kept"


def make_hdf5(library, name, data, libver="earliest", **how):
    """Write a file with this dataset, and others of which one is behind it; where it begins in the bytes."""
    with library.File(name, "w", libver=libver) as file:
        file.attrs["title"] = "kept"
        group = file.create_group("group")
        group["before"] = numpy.arange(1000)
        dataset = file.create_dataset("events", data=data, **how)
        dataset.attrs["unit"] = "m"
        file["link"] = library.SoftLink("/group/before")
        file["other"] = library.ExternalLink("other.h5", "/x")
        group["behind"] = numpy.arange(77.0)
        group.create_dataset("packed", data=numpy.arange(9999), compression="gzip")
        file.flush()
        begin = dataset.id.get_offset()
    return begin


def h5py(gsort, count=30000):
    try:
        import h5py as library
    except ImportError:
        sys.exit(77)

    def check(data, rows, libver="earliest"):
        begin = make_hdf5(library, "in.h5", data, libver)
        old = open("in.h5", "rb").read()
        assert old[begin:begin + data.nbytes] == data.tobytes()
        raw = numpy.frombuffer(data.tobytes(), numpy.uint8).reshape(count, -1)  # numpy leaves padding behind
        every_way(gsort, "in.h5", rows, lambda order: old[:begin] + raw[order].tobytes() + old[begin + data.nbytes:])
        words, order = rows[-1]
        run(gsort, "-s", *words, "in.h5", "-o", "out.h5")
        with library.File("out.h5", "r") as file:
            assert file["events"][...].tobytes() == raw[order].tobytes()
            assert file.attrs["title"] == "kept" and file["events"].attrs["unit"] == "m"
            assert (file["group/behind"][...] == numpy.arange(77.0)).all() and (file["group/packed"][...] == numpy.arange(9999)).all()

    fields = [("id", "<i4"), ("energy", ">f8"), ("name", "S5"), ("half", "<f2"), ("good", "?"), ("pair", "<f4", 2), ("place", [("x", "<i2"), ("y", "<i2")])]
    for aligned, libver in ((False, "earliest"), (True, "latest")):
        rows = numpy.zeros(count, numpy.dtype(fields, align=aligned))
        rows["id"] = random.integers(-1000, 1000, count)
        rows["energy"] = random.normal(size=count)
        rows["energy"][::7] = numpy.nan
        rows["name"] = random.choice([b"M31", b"M5", b"NGC", b""], count)
        rows["half"] = random.integers(-99, 99, count)
        rows["good"] = random.integers(0, 2, count)
        rows["pair"] = random.normal(size=(count, 2))
        energy = numpy.nan_to_num(rows["energy"], nan=numpy.inf)
        check(rows, [
            (["-k", "energy,id"], numpy.lexsort([rows["id"], energy])),
            (["-k", "good", "-k", "half:r"], numpy.lexsort([-rows["half"].astype(int), rows["good"]])),
            (["-k", "name"], numpy.argsort(rows["name"], kind="stable")),
        ], libver)
    for kind in ("<u4", ">u8", "<i2", ">i4", "u1", "<f2", "<f4", ">f8"):
        data = random.integers(0, 250, count).astype(kind)
        check(data, [([], numpy.argsort(data, kind="stable"))])
    data = random.integers(-50, 50, (count, 3)).astype("<i4")
    check(data, [(["-k", "2,0"], numpy.lexsort([data[:, 0], data[:, 2]])), (["-k", "1"], numpy.argsort(data[:, 1], kind="stable"))])
    make_hdf5(library, "in.h5", numpy.zeros(0, "<f8"))
    run(gsort, "in.h5", "-o", "out.h5")
    assert open("in.h5", "rb").read() == open("out.h5", "rb").read()


def refused(gsort):
    try:
        import h5py as library
    except ImportError:
        sys.exit(77)
    numbers = numpy.arange(100, dtype="<i4")
    structure = numpy.zeros(100, [("z", "c16"), ("id", "<i4")])

    def check(text, *words):
        done = subprocess.run([gsort, *words, "in.h5", "-o", "out"], stdin=subprocess.DEVNULL, capture_output=True)
        said = done.stderr.decode()
        assert done.returncode == 2 and text in said and said.count("\n") == 1, (text, said)

    chunked = "its dataset is in chunks or its header; h5repack -l CONTI -f NONE FILE NEW makes it contiguous"
    for data, how, text in (
            (numbers, {"chunks": (10,)}, chunked),
            (numbers, {"compression": "gzip"}, chunked),
            (numbers, {"fletcher32": True}, chunked),
            (numpy.int32(3), {}, "has not one dimension, or two of numbers"),
            (numbers.reshape(5, 5, 4), {}, "has not one dimension, or two of numbers"),
            (structure.reshape(10, 10), {}, "has not one dimension, or two of numbers"),
            (numpy.zeros((2, 40000), "<i4"), {}, "its rows have not 1 to 65536 bytes"),
            (numpy.array([b"a", b"bc"], dtype=library.string_dtype()), {}, "variable length"),
            (numpy.array([(b"a", 1)], [("s", library.string_dtype()), ("id", "<i4")]), {}, "variable length"),
            (numpy.zeros(9, numpy.longdouble), {}, "bits"),
            (numpy.zeros(9, "V4"), {}, "its type has no order"),
            (structure, {}, "cannot be sorted by field z: it is a structure; -k FIELD chooses others")):
        make_hdf5(library, "in.h5", data, **how)
        check(text)
    check("there is no field 'x'; its fields are: z id", "-k", "x")
    check("keeps all of its records", "-u", "-k", "id")
    with library.File("in.h5", "w") as file:
        file["a"] = file["b"] = numbers
    check("its datasets are a b: h5copy")
    with library.File("in.h5", "w") as file:
        file["group/a"] = numbers
    check("its root group has no dataset")
    with library.File("in.h5", "w") as file:
        file.create_dataset("a", (100,), "<i4")
    check("its values are not in it")
    make_hdf5(library, "in.h5", numbers)
    whole = open("in.h5", "rb").read()
    open("in.h5", "wb").write(whole[:len(whole) // 2])
    check("it is damaged or cut off, or a program has it open")


globals()[sys.argv[1]](sys.argv[2])
