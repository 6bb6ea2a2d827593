/* build_tables_gpu.cu -- build the tables for splitters that the host has chosen.
 * SPDX-License-Identifier: MIT
 *
 * Splitters chosen on the device get their tables in the same kernel (select_samples_gpu.cu).
 */
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/device/kernels/gpu_tables.cuh"

static __global__ void __launch_bounds__(TABLE_THREADS)
    build_tables_kernel(struct gs_gpu_tables *tables, uint32_t cells, struct gs_gpu_state *state)
{
    after_previous();
    __shared__ struct table_builder s_build;
    uint32_t count = tables->count;
    for (uint32_t i = threadIdx.x; i < count; i += TABLE_THREADS)
        s_build.splitter[i] = tables->splitter[i];
#if GS_BITS > 32
    for (uint32_t i = threadIdx.x; i < count; i += TABLE_THREADS)
        tables->last[i] = gs_gpu_least(tables->scale, tables->splitter[i] + 1ULL) - 1;
#endif
    __syncthreads();
    build_tables(tables, &s_build, count, cells);
#if GS_BITS > 32
    begin_bounds(state, tables->scale);
#else
    (void)state;
#endif
    if (threadIdx.x == 0) { /* no sample has been searched for twins: go by the splitters */
        tables->twins = tables->few = s_build.repeats;
        tables->few_all = tables->uneven = tables->skewed = 0;
#if GS_BITS > 32 /* of the elements themselves they say nothing */
        tables->uneven = 1;
        tables->few = 0;
#endif
    }
}

cudaError_t gs_build_tables_gpu(const struct gs_gpu_work *work, uint32_t bins, cudaStream_t stream)
{
    return gs_launch_next(build_tables_kernel, 1, TABLE_THREADS, 0, stream, work->tables,
                          gs_gpu_cells(bins, work->cells), work->state);
}
