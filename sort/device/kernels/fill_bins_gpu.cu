/* fill_bins_gpu.cu -- write what needs no sort: runs of equal keys, and all keys in reverse.
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/kernels/gpu_block.cuh"
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_launchers.h"

enum { STREAM_THREADS = 256 };

static __global__ void __launch_bounds__(STREAM_THREADS)
    fill_bins_kernel(gs_key *out, const struct gs_gpu_fill *fills,
                     const __grid_constant__ struct gs_gpu_door door)
{
    after_previous();
    const struct gs_gpu_fill fill = fills[blockIdx.x];
    write_run(out + fill.start, fill.size, leave(door, fill.value));
}

/* Swap each key with its mirror image. */
static __global__ void __launch_bounds__(STREAM_THREADS) reverse_kernel(gs_key *keys, uint64_t n)
{
    after_previous();
    const uint64_t stride = (uint64_t)gridDim.x * STREAM_THREADS;
    for (uint64_t i = blockIdx.x * (uint64_t)STREAM_THREADS + threadIdx.x; i < n / 2; i += stride) {
        gs_key key = keys[i];
        keys[i] = keys[n - 1 - i];
        keys[n - 1 - i] = key;
    }
}

cudaError_t gs_fill_bins_gpu(const struct gs_gpu_work *work, gs_key *a, uint32_t fills,
                             cudaStream_t stream)
{
    if (fills == 0)
        return cudaSuccess;
    return gs_launch_next(fill_bins_kernel, fills, STREAM_THREADS, 0, stream, a, work->fills,
                          work->door);
}

cudaError_t gs_reverse_gpu(gs_key *keys, uint64_t n, unsigned processors, cudaStream_t stream)
{
    return gs_launch_next(reverse_kernel, processors * 8, STREAM_THREADS, 0, stream, keys, n);
}
