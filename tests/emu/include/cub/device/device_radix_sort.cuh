#pragma once
#include <algorithm>
namespace cub {
template <class T> struct DoubleBuffer {
    T *buffers[2]; int selector = 0;
    DoubleBuffer(T *a, T *b) : buffers{a, b} {}
    T *Current() const { return buffers[selector]; }
};
struct DeviceRadixSort {
    template <class T> static cudaError_t SortKeys(void *m, size_t &bytes, DoubleBuffer<T> &b, uint64_t n, int = 0, int = 32, cudaStream_t s = 0)
    { if (m == nullptr) { bytes = 256; return cudaSuccess; } cudaStreamSynchronize(s); std::sort(b.Current(), b.Current() + n); return cudaSuccess; }
};
}
