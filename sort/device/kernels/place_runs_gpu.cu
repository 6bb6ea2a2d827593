/* place_runs_gpu.cu -- where the run of each bin begins in a chunk: prefix_sum's twin for a chunk.
 * SPDX-License-Identifier: MIT
 *
 * An exclusive scan by one block, in rounds of one bin per thread.
 */
#include "sort/device/kernels/gpu_block.cuh"
#include "sort/device/kernels/gpu_launchers.h"

enum { PLACE_THREADS = 1024 };

/* The counts of a chunk become cursors and starts, and are cleared for the next chunk. */
static __global__ void __launch_bounds__(PLACE_THREADS)
    place_runs_kernel(struct gs_gpu_state *state, unsigned long long *cursors,
                      const struct gs_gpu_tables *tables, uint32_t *starts)
{
    __shared__ unsigned long long s_partial[33];
    unsigned long long *counts = state->counts;
    const uint32_t bins = tables->count + 1;
    unsigned long long before = 0;
    for (uint32_t round = 0; round < bins; round += PLACE_THREADS) {
        uint32_t bin = round + threadIdx.x;
        unsigned long long size = bin < bins ? counts[bin] : 0;
        unsigned long long start = scan_round<PLACE_THREADS>(size, s_partial, &before);
        if (bin < bins) {
            counts[bin] = 0;
            cursors[bin] = start;
            starts[bin] = (uint32_t)start;
        }
        __syncthreads(); /* s_partial has been read */
    }
    if (threadIdx.x == 0) {
        starts[bins] = (uint32_t)before;
        state->tiles = 0;
    }
}

cudaError_t gs_place_runs_gpu(const struct gs_gpu_work *work, uint32_t *starts, cudaStream_t stream)
{
    place_runs_kernel<<<1, PLACE_THREADS, 0, stream>>>(work->state, work->cursors, work->tables,
                                                       starts);
    return cudaGetLastError();
}
