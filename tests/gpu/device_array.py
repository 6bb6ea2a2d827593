"""device_array.py -- gsort.py sorts and argsorts arrays with a __cuda_array_interface__.

The arrays are fakes, made by CUDA's driver and ctypes alone. PYTHONPATH has gsort.py. Without a GPU,
the exit status is 77.
"""
# SPDX-License-Identifier: MIT

import array
import ctypes
import random
import threading

import gsort

try:
    cuda = ctypes.CDLL("libcuda.so.1")
except OSError:
    raise SystemExit(77)


def must(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    assert code == 0, (name, code)


class Fake:
    """Items in device memory."""

    def __init__(self, typestr, items, **more):
        self.items = items
        self.address = ctypes.c_uint64()
        self.bytes = len(items) * items.itemsize
        must("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(self.bytes))
        must("cuMemcpyHtoD_v2", self.address, ctypes.c_void_p(items.buffer_info()[0]),
             ctypes.c_size_t(self.bytes))
        self.__cuda_array_interface__ = {
            "shape": (len(items),), "typestr": typestr, "data": (self.address.value, False),
            "version": 3, "strides": None, **more}

    def get(self):
        back = array.array(self.items.typecode, bytes(self.bytes))
        must("cuMemcpyDtoH_v2", ctypes.c_void_p(back.buffer_info()[0]), self.address,
             ctypes.c_size_t(self.bytes))
        return list(back)


def fails(kind, call, words):
    try:
        call()
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError("no error")


must("cuInit", 0)
device, context = ctypes.c_int(), ctypes.c_void_p()
must("cuDeviceGet", ctypes.byref(device), 0)
must("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
must("cuCtxSetCurrent", context)

for typestr, code in ("<u4", "I"), ("<i8", "q"), ("<f8", "d"), ("|u1", "B"), ("<i2", "h"):
    items = array.array(code, [random.randrange(100) for _ in range(50000)])
    a = Fake(typestr, items)
    b = Fake(typestr, array.array(code, bytes(a.bytes)), stream=1)
    order = sorted(range(len(items)), key=items.__getitem__)
    for index_type, index_code in ("<i8", "q"), ("<u4", "I"):
        at = Fake(index_type, array.array(index_code, [7] * (len(items) + 1)))
        assert gsort.argsort(a, out=at) is at and at.get() == order + [7]
        gsort.argsort(a, out=at, stream=2)
        assert at.get() == order + [7] and a.get() == list(items)
    assert gsort.sort(a, out=b) is b and b.get() == sorted(items) and a.get() == list(items)
    assert gsort.sort(a, out=a) is a and a.get() == sorted(items)
    reverse = "%s%d r" % (typestr[1], 8 * items.itemsize)
    gsort.sort(a, reverse, out=a, stream=2)
    assert a.get() == sorted(items, reverse=True)
    # A thread in which no device is current.
    thread = threading.Thread(target=lambda: gsort.sort(a, out=a))
    thread.start()
    thread.join()
    assert a.get() == sorted(items)

a = Fake("<u4", array.array("I", range(9, 0, -1)))
fails(ValueError, lambda: gsort.sort(a), "out=a")
fails(ValueError, lambda: gsort.sort(a, out=a, unique=True), "unique")
fails(gsort.Error, lambda: gsort.sort(a, "R36 k0:u32", out=a), "1 to 16 bytes")
fails(ValueError, lambda: gsort.argsort(a), "out=an array")
fails(ValueError, lambda: gsort.argsort(a, out=Fake("<i8", array.array("q", [0] * 8))), "no room")
fails(gsort.Error, lambda: gsort.argsort(a, out=Fake("<i2", array.array("h", [0] * 9))), "4 or 8")
fails(ValueError, lambda: gsort.argsort(a, out=Fake("<f8", array.array("d", [0] * 9))), "integers")
fails(BufferError, lambda: gsort.sort(Fake("<u4", a.items, strides=(8,)), out=a), "contiguous")
assert a.get() == list(range(9, 0, -1))
current = ctypes.c_void_p()
must("cuCtxGetCurrent", ctypes.byref(current))
assert current.value == context.value
