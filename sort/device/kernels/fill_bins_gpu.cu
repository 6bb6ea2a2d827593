/* fill_bins_gpu.cu -- write what needs no sort: runs of equal keys; all keys that are in order.
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

/* Bring keys that the count found in order, or in reverse, to their places. A thread moves a key
 * and its mirror image. */
static __global__ void __launch_bounds__(STREAM_THREADS)
    write_ordered_kernel(const gs_key *source, gs_key *keys, uint64_t n,
                         const struct gs_gpu_state *state)
{
    after_previous();
    const bool reversed = state->outcome == GS_GPU_REVERSED;
    if (!reversed && (state->outcome != GS_GPU_SORTED || source == keys))
        return;
    const uint64_t stride = (uint64_t)gridDim.x * STREAM_THREADS;
    for (uint64_t i = blockIdx.x * (uint64_t)STREAM_THREADS + threadIdx.x; i < n - n / 2;
         i += stride) {
        const gs_key low = source[i];
        const gs_key high = source[n - 1 - i];
        keys[i] = reversed ? high : low;
        keys[n - 1 - i] = reversed ? low : high;
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

cudaError_t gs_write_ordered_gpu(const struct gs_gpu_work *work, const gs_key *source, gs_key *keys,
                                 uint64_t n, unsigned processors, cudaStream_t stream)
{
    return gs_launch_next(write_ordered_kernel, processors * 8, STREAM_THREADS, 0, stream, source,
                          keys, n, (const struct gs_gpu_state *)work->state);
}
