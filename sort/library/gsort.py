"""gsort -- sort arrays and files of numbers or records with libgsort, by ctypes.

    import gsort, numpy
    a = numpy.random.random(10**7)
    b = gsort.sort(a)                       # another array; gsort.sort(a, out=a) sorts in place
    i = gsort.argsort(a)                    # positions; those of equal keys ascend
    gsort.sort(rows, "R24 k8:u64r k0:u64")  # any buffer, by the words of gsort's command line
    gsort.sort(c, out=c)                    # c of CuPy, PyTorch, Numba: in the memory of a GPU
    gsort.sort_files(["in.bin"], "out.bin", "f64", memory=1 << 30)
    with gsort.Sorter("f64", memory=1 << 30) as sorter:     # more than memory holds
        sorter.push(a)                                      # any number of times, from any thread
        for batch in sorter: ...                            # in order: bytearrays, or numpy.frombuffer

Arrays are all that have Python's buffer protocol: NumPy's, array.array, bytearray, mmap; sort() takes
those with a __cuda_array_interface__, too, and sorts them where they are. Without a format, their own
item type is the key. What goes wrong is a gsort.Error, whose text is the line that the command prints.
Other threads run meanwhile. GSORT_LIBRARY names another libgsort.so.0.
"""
# SPDX-License-Identifier: MIT

import array as _array
import copy as _copy
import ctypes as _c
import os as _os
import sys as _sys

__all__ = ["Error", "Sorter", "argsort", "check", "check_files", "merge", "merge_files", "sort", "sort_files",
           "version"]

_UNIQUE, _READ = 1, 2
_STATUS = ["ok", "usage", "input", "output", "memory", "device", "device memory", "verify",
           "internal", "cancelled"]


class Error(Exception):
    """A call of libgsort has failed; status is one word: usage, input, output, memory, cancelled."""

    def __init__(self, code, line):
        super().__init__(line)
        self.status = _STATUS[code] if code < len(_STATUS) else str(code)


class _CError(_c.Structure):
    _fields_ = [("size", _c.c_size_t), ("status", _c.c_int), ("line", _c.c_char * 1024)]

    def __init__(self):
        super().__init__(_c.sizeof(_CError))


class _Progress(_c.Structure):
    _fields_ = [("size", _c.c_size_t), ("phase", _c.c_char_p), ("done", _c.c_uint64),
                ("total", _c.c_uint64)]


_Callback = _c.CFUNCTYPE(_c.c_int, _c.c_void_p, _c.POINTER(_Progress))


class _COptions(_c.Structure):
    _fields_ = [("size", _c.c_size_t), ("flags", _c.c_uint32), ("threads", _c.c_uint32),
                ("memory_bytes", _c.c_uint64), ("progress", _Callback), ("context", _c.c_void_p)]


class _Array(_c.Structure):
    _fields_ = [("records", _c.c_void_p), ("count", _c.c_uint64)]


class _Files(_c.Structure):
    _fields_ = [("size", _c.c_size_t), ("inputs", _c.POINTER(_c.c_char_p)),
                ("input_count", _c.c_size_t), ("output", _c.c_char_p),
                ("directories", _c.POINTER(_c.c_char_p)), ("directory_count", _c.c_size_t),
                ("skip", _c.c_uint64)]


def _load():
    beside = _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "..", "..", "libgsort.so.0")
    name = _os.environ.get("GSORT_LIBRARY") or (beside if _os.path.exists(beside)
                                                else "libgsort.so.0")
    library = _c.CDLL(name)
    pointer, word = _c.c_void_p, _c.c_uint64
    options, error = _c.POINTER(_COptions), _c.POINTER(_CError)
    files, count = _c.POINTER(_Files), _c.POINTER(_c.c_uint64)
    for call, result, arguments in [
            ("version", _c.c_char_p, []),
            ("format_parse", pointer, [_c.c_char_p, error]),
            ("format_free", None, [pointer]),
            ("format_record_bytes", _c.c_uint32, [pointer]),
            ("sort", _c.c_int, [pointer, pointer, pointer, word, options, count, error]),
            ("argsort", _c.c_int, [pointer, pointer, pointer, _c.c_uint, word, options, error]),
            ("merge", _c.c_int, [pointer, _c.POINTER(_Array), _c.c_size_t, pointer, options, count,
                                 error]),
            ("check", _c.c_int, [pointer, pointer, word, options, count, error]),
            ("device_sort", _c.c_int, [pointer, _c.POINTER(_c.c_size_t), pointer, pointer, pointer,
                                       word, pointer, _c.c_uint32, error]),
            ("device_argsort", _c.c_int, [pointer, _c.POINTER(_c.c_size_t), pointer, pointer,
                                          pointer, _c.c_uint, word, pointer, _c.c_uint32, error]),
            ("sort_files", _c.c_int, [pointer, files, options, count, error]),
            ("merge_files", _c.c_int, [pointer, files, options, count, error]),
            ("check_files", _c.c_int, [pointer, files, options, _c.POINTER(_c.c_int), error]),
            ("sorter_open", pointer, [_c.POINTER(pointer), _c.c_size_t, _c.POINTER(_c.c_char_p),
                                      _c.c_size_t, options, error]),
            ("sorter_push", _c.c_int, [pointer, pointer, word, error]),
            ("sorter_finish", _c.c_int, [pointer, error]),
            ("sorter_pull", _c.c_int, [pointer, _c.c_size_t, _c.POINTER(pointer), count, error]),
            ("sorter_free", None, [pointer])]:
        function = getattr(library, "gsort_" + call)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()


def version():
    """The version of the library."""
    return _library.gsort_version().decode()


class _Format:
    """A parsed format, or NULL for files that say themselves what they have."""

    def __init__(self, text):
        self.pointer = None
        if text is None:
            return
        error = _CError()
        self.pointer = _library.gsort_format_parse(text.encode(), error)
        if not self.pointer:
            raise Error(error.status, error.line.decode(errors="replace"))
        self.record_bytes = _library.gsort_format_record_bytes(self.pointer)

    def __del__(self):
        if self.pointer:
            _library.gsort_format_free(self.pointer)


class _Buffer(_c.Structure):
    """The memory of an object, as PyObject_GetBuffer fills it in, until release()."""

    _fields_ = [("address", _c.c_void_p), ("owner", _c.py_object), ("bytes", _c.c_ssize_t),
                ("item_bytes", _c.c_ssize_t), ("readonly", _c.c_int), ("dimensions", _c.c_int),
                ("format", _c.c_char_p), ("shape", _c.c_void_p), ("strides", _c.c_void_p),
                ("suboffsets", _c.c_void_p), ("internal", _c.c_void_p)]
    _CONTIGUOUS, _FORMAT, _WRITABLE = 0x38, 4, 1

    def __init__(self, of, writable=False):
        super().__init__()
        flags = self._CONTIGUOUS | self._FORMAT | (self._WRITABLE if writable else 0)
        _c.pythonapi.PyObject_GetBuffer(_c.py_object(of), _c.byref(self), flags)
        if self.dimensions != 1:
            self.release()
            raise ValueError("arrays have one dimension here")

    def release(self):
        _c.pythonapi.PyBuffer_Release(_c.byref(self))

    def words(self):
        """The type of the items, as the command line has it."""
        code = (self.format or b"B").decode()
        big = code[0] in ">!"
        kind = {**dict.fromkeys("bhilqn", "i"), **dict.fromkeys("BHILQN?c", "u"),
                **dict.fromkeys("efd", "f")}.get(code.lstrip("<>!=@"))
        if kind is None:
            raise ValueError("items of %r: say by a format what they are" % code)
        return "%s%d%s" % (kind, 8 * self.item_bytes, "be" if big else "")


_c.pythonapi.PyObject_GetBuffer.argtypes = [_c.py_object, _c.c_void_p, _c.c_int]
_c.pythonapi.PyBuffer_Release.argtypes = [_c.c_void_p]
_c.pythonapi.PyBuffer_Release.restype = None


class _Call:
    """Options and error of a call, and what its callback has raised."""

    def __init__(self, unique=False, threads=0, memory=0, progress=None, read=False):
        self.error, self.raised = _CError(), None
        flags = (_UNIQUE if unique else 0) | (_READ if read else 0)
        self.options = _COptions(_c.sizeof(_COptions), flags, threads, memory)
        if progress is not None:
            def look(_context, told):
                try:
                    told = told.contents
                    phase = told.phase.decode() if told.phase else ""
                    return bool(progress(phase, told.done, told.total))
                except BaseException as raised:  # it cancels the call, and goes to the caller
                    self.raised = raised
                    return 1
            self.options.progress = _Callback(look)

    def run(self, name, *arguments):
        code = getattr(_library, "gsort_" + name)(*arguments, self.error)
        if self.raised is not None:
            raise self.raised
        if code:
            raise Error(code, self.error.line.decode(errors="replace"))
        return self.error.line.decode(errors="replace")


def _count(buffer, format):
    if buffer.bytes % format.record_bytes:
        raise ValueError("%d bytes are no array of records of %d" %
                         (buffer.bytes, format.record_bytes))
    return buffer.bytes // format.record_bytes


def _cut(out, kept, count):
    return out if kept == count else out[:len(out) // count * kept]


class _DeviceArray:
    """An array in the memory of a GPU, by its __cuda_array_interface__."""

    def __init__(self, of, writable=False):
        told = of.__cuda_array_interface__
        self.address, readonly = told["data"]
        self.type = told["typestr"]
        self.item_bytes = item_bytes = int(self.type[2:].partition("[")[0])
        if len(told["shape"]) != 1:
            raise ValueError("arrays have one dimension here")
        if told.get("strides") not in (None, (item_bytes,)):
            raise BufferError("the array is not contiguous")
        if writable and readonly:
            raise BufferError("the array is read-only")
        self.bytes = told["shape"][0] * item_bytes
        self.stream = told.get("stream")

    def words(self):
        """The type of the items, as the command line has it."""
        order, kind, size = self.type[0], self.type[1], self.type[2:]
        if kind not in "uifb":
            raise ValueError("items of %r: say by a format what they are" % self.type)
        return "%s%d%s" % (kind.replace("b", "u"), 8 * int(size), "be" if order == ">" else "")


class _Gpu:
    """The GPU that has this address: current until the end of `with`, by CUDA's driver."""

    _ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL

    def __init__(self, address):
        try:
            self._driver = _c.CDLL("libcuda.so.1")
        except OSError as error:
            raise Error(5, "no usable GPU: %s" % error) from None
        ordinal, self._device, self._context = _c.c_int(), _c.c_int(), _c.c_void_p()
        self.run("cuPointerGetAttribute", _c.byref(ordinal), self._ORDINAL, _c.c_uint64(address))
        self.run("cuDeviceGet", _c.byref(self._device), ordinal)
        self.run("cuDevicePrimaryCtxRetain", _c.byref(self._context), self._device)

    def run(self, name, *arguments):
        code = getattr(self._driver, name)(*arguments)
        if code:
            raise Error(6 if code == 2 else 5, "GPU: %s: error %d" % (name, code))

    def __enter__(self):
        self.run("cuCtxPushCurrent_v2", self._context)
        return self

    def __exit__(self, *_):
        self.run("cuCtxPopCurrent_v2", _c.byref(_c.c_void_p()))
        self.run("cuDevicePrimaryCtxRelease_v2", self._device)


def _sort_on_device(a, format, out, stream, positions, options):
    """Sort an array in the memory of a GPU, or its positions, and wait for it."""
    if options:
        raise ValueError("in the memory of a GPU there are no options: %s" % ", ".join(options))
    if out is None:
        raise ValueError("an array in the memory of a GPU: say where to; out=%s" %
                         ("an array of integers" if positions else "a sorts in place"))
    given, to = _DeviceArray(a), _DeviceArray(out, writable=True)
    kind, call = _Format(format or given.words()), _Call()
    count = _count(given, kind)
    if positions and to.type[:2] not in ("<i", "<u"):
        raise ValueError("positions are integers, not %r" % to.type)
    if to.bytes < (count * to.item_bytes if positions else given.bytes):
        raise ValueError("out has no room for %d records" % count)
    if count == 0:
        return out
    stream = _c.c_void_p((given.stream if stream is None else stream) or 0)
    with _Gpu(given.address) as gpu:
        temp, size = _c.c_void_p(), _c.c_size_t()
        name = "device_argsort" if positions else "device_sort"
        rest = [kind.pointer, given.address, to.address, count, stream, 0]
        if positions:
            rest.insert(3, to.item_bytes)
        call.run(name, None, size, *rest)
        gpu.run("cuMemAlloc_v2", _c.byref(temp), size)
        try:
            call.run(name, temp, size, *rest)
            gpu.run("cuStreamSynchronize", stream)
        finally:
            gpu.run("cuMemFree_v2", temp)
    return out


def sort(a, format=None, out=None, stream=None, **options):
    """Sort an array into `out`, which may be the same, or into a new one of its type. Returns it, or
    under unique=True its first part. Options: unique, threads, memory, progress(phase, done, total),
    any true result of which cancels the call. An array in the memory of a GPU takes no options but
    out and stream, a number as in its __cuda_array_interface__; it is sorted when this returns."""
    if hasattr(a, "__cuda_array_interface__"):
        return _sort_on_device(a, format, out, stream, False, options)
    out = _copy.copy(a) if out is None else out
    given = _Buffer(a)
    try:
        to = _Buffer(out, writable=True)
        try:
            kind, call, kept = _Format(format or given.words()), _Call(**options), _c.c_uint64()
            count = _count(given, kind)
            if to.bytes < given.bytes:
                raise ValueError("out has no room for %d records" % count)
            call.run("sort", kind.pointer, given.address, to.address, count, call.options, kept)
            return _cut(out, kept.value, count)
        finally:
            to.release()
    finally:
        given.release()


def argsort(a, format=None, out=None, stream=None, **options):
    """The positions of the records in order: NumPy's array for a NumPy array, else array.array. Of
    an array in the memory of a GPU they go to `out`, an array there of integers of 4 or 8 bytes."""
    if hasattr(a, "__cuda_array_interface__"):
        return _sort_on_device(a, format, out, stream, True, options)
    if out is not None or stream is not None:
        raise ValueError("out and stream are for an array in the memory of a GPU")
    given = _Buffer(a)
    try:
        kind, call = _Format(format or given.words()), _Call(**options)
        count = _count(given, kind)
        if hasattr(a, "__array_interface__"):
            indices = _sys.modules["numpy"].empty(count, "int64")
        else:
            indices = _array.array("q", bytes(8 * count))
        to = _Buffer(indices, writable=True)
        try:
            call.run("argsort", kind.pointer, given.address, to.address, 8, count, call.options)
        finally:
            to.release()
        return indices
    finally:
        given.release()


def merge(arrays, format=None, out=None, **options):
    """Merge arrays that are in order, into `out` or a new array of the first one's type."""
    arrays = list(arrays)
    if out is None:
        first = arrays[0]
        if hasattr(first, "__array_interface__"):
            out = _sys.modules["numpy"].concatenate(arrays)
        else:
            out = _copy.copy(first)
            for other in arrays[1:]:
                out += other
    buffers = [_Buffer(a) for a in arrays]
    to = _Buffer(out, writable=True)
    try:
        kind, call, kept = _Format(format or buffers[0].words()), _Call(**options), _c.c_uint64()
        if format is None and len({buffer.words() for buffer in buffers}) > 1:
            raise ValueError("arrays of several types")
        counts = [_count(buffer, kind) for buffer in buffers]
        if to.bytes < sum(buffer.bytes for buffer in buffers):
            raise ValueError("out has no room for %d records" % sum(counts))
        list_of = (_Array * len(buffers))(*[_Array(buffer.address, count)
                                            for buffer, count in zip(buffers, counts)])
        call.run("merge", kind.pointer, list_of, len(buffers), to.address, call.options, kept)
        return _cut(out, kept.value, sum(counts))
    finally:
        for buffer in buffers + [to]:
            buffer.release()


def check(a, format=None, **options):
    """The index of the first record that is out of order with the one before it, or None."""
    given = _Buffer(a)
    try:
        kind, call, at = _Format(format or given.words()), _Call(**options), _c.c_uint64()
        count = _count(given, kind)
        call.run("check", kind.pointer, given.address, count, call.options, at)
        return None if at.value == count else at.value
    finally:
        given.release()


def _files(inputs, output, directories, skip):
    if isinstance(inputs, (str, bytes)) or hasattr(inputs, "__fspath__"):
        inputs = [inputs]
    names = [_os.fsencode(name) for name in inputs]
    places = [_os.fsencode(name) for name in directories]
    return _Files(_c.sizeof(_Files), (_c.c_char_p * len(names))(*names), len(names),
                  None if output is None else _os.fsencode(output),
                  (_c.c_char_p * len(places))(*places), len(places), skip)


def sort_files(inputs, output, format=None, directories=(), skip=0, **options):
    """Sort files into one, as the command does. Returns how many records that has. Without a format,
    a .npy file says itself what it has, and others are arrays of u32."""
    kind, call, kept = _Format(format), _Call(**options), _c.c_uint64()
    call.run("sort_files", kind.pointer, _files(inputs, output, directories, skip), call.options,
             kept)
    return kept.value


def merge_files(inputs, output, format=None, directories=(), skip=0, **options):
    """Merge files that are in order."""
    kind, call, kept = _Format(format), _Call(**options), _c.c_uint64()
    call.run("merge_files", kind.pointer, _files(inputs, output, directories, skip), call.options,
             kept)
    return kept.value


def check_files(inputs, format=None, skip=0, **options):
    """None if files are in order, one after the other; else a line that says where they are not."""
    kind, call, ordered = _Format(format), _Call(**options), _c.c_int()
    line = call.run("check_files", kind.pointer, _files(inputs, None, (), skip), call.options,
                    ordered)
    return None if ordered.value else line


class Sorter:
    """Push arrays of records of one format, from any thread, then pull them in order, batch by batch:
    gsort_sorter(3). Several formats are several orders of the same records, pulled one after the
    other. Temporary files, if memory has no room, are in directories, or $TMPDIR, or /tmp."""

    def __init__(self, *formats, directories=(), **options):
        self._pointer = None
        self._kinds = [_Format(format) for format in formats]
        self._call = _Call(**options)
        names = [_os.fsencode(name) for name in directories]
        self._names = (_c.c_char_p * len(names))(*names)
        self._orders = (_c.c_void_p * len(formats))(*[kind.pointer for kind in self._kinds])
        error, self._finished = self._call.error, False
        self._pointer = _library.gsort_sorter_open(self._orders, len(formats), self._names, len(names),
                                                   self._call.options, error)
        if not self._pointer:
            raise Error(error.status, error.line.decode(errors="replace"))

    def _run(self, name, *arguments):
        if not self._pointer:
            raise ValueError("the sorter is closed")
        error = _CError()
        code = getattr(_library, "gsort_sorter_" + name)(self._pointer, *arguments, error)
        raised, self._call.raised = self._call.raised, None
        if raised is not None:
            raise raised
        if code:
            raise Error(code, error.line.decode(errors="replace"))

    def push(self, a):
        """Copy the records of an array into the sorter."""
        given = _Buffer(a)
        try:
            self._run("push", given.address, _count(given, self._kinds[0]))
        finally:
            given.release()

    def pull(self, order=0):
        """All batches of an order, one after the other. The first call says that all is pushed."""
        if not self._finished:
            self._run("finish")
            self._finished = True
        records, count = _c.c_void_p(), _c.c_uint64()
        bytes_of_one = self._kinds[0].record_bytes
        while True:
            self._run("pull", order, records, count)
            if count.value == 0:
                return
            batch = bytearray(count.value * bytes_of_one)
            _c.memmove((_c.c_char * len(batch)).from_buffer(batch), records, len(batch))
            yield batch

    def __iter__(self):
        return self.pull()

    def close(self):
        """Give it up, at any point: nothing is left on disk."""
        if self._pointer:
            _library.gsort_sorter_free(self._pointer)
            self._pointer = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    __del__ = close
