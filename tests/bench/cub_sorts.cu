/* cub_sorts.cu -- CUB's sorts of keys in device memory, and thrust's: for comparison.
 * SPDX-License-Identifier: MIT
 */
#include "tests/bench/cub_sorts.h"

#include <algorithm>

#include <cub/device/device_radix_sort.cuh>
#include <cub/version.cuh>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#define TEXT_OF(value) #value
#define TEXT(value)    TEXT_OF(value)
const char cub_version[] =
    TEXT(CUB_MAJOR_VERSION) "." TEXT(CUB_MINOR_VERSION) "." TEXT(CUB_SUBMINOR_VERSION);

static struct {
    void *memory;
    size_t bytes;
} temp;

cudaError_t cub_open(uint64_t capacity)
{
    cub::DoubleBuffer<gs_key> none(NULL, NULL);
    cudaError_t error = cub::DeviceRadixSort::SortKeys(NULL, temp.bytes, none, capacity);
#if GS_BITS == 128
    size_t pairs_bytes = 0;
    cub::DoubleBuffer<uint64_t> halves(NULL, NULL);
    if (error == cudaSuccess)
        error = cub::DeviceRadixSort::SortPairs(NULL, pairs_bytes, halves, halves, capacity);
    temp.bytes = std::max(temp.bytes, pairs_bytes);
#endif
    return error == cudaSuccess ? cudaMalloc(&temp.memory, temp.bytes) : error;
}

cudaError_t cub_sort(gs_key *keys, gs_key *spare, uint64_t n, gs_key **sorted)
{
    cub::DoubleBuffer<gs_key> buffers(keys, spare);
    const cudaError_t error = cub::DeviceRadixSort::SortKeys(temp.memory, temp.bytes, buffers, n);
    *sorted = buffers.Current();
    return error;
}

#if GS_BITS == 128
cudaError_t cub_sort_pairs(uint64_t *keys, uint64_t *values, uint64_t n)
{
    cub::DoubleBuffer<uint64_t> key_buffers(keys, keys + n);
    cub::DoubleBuffer<uint64_t> value_buffers(values, values + n);
    return cub::DeviceRadixSort::SortPairs(temp.memory, temp.bytes, key_buffers, value_buffers, n);
}
#endif

void thrust_sort(gs_key *keys, uint64_t n)
{
#if GS_BITS == 32
    thrust::sort(thrust::device, keys, keys + n);
#else
    (void)keys;
    (void)n;
#endif
}
