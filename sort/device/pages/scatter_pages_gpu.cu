/* scatter_pages_gpu.cu -- level 1's scatter without a count: every key to its bin's pages.
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/kernels/gpu_scatter_bins.cuh"
#include "sort/device/pages/gpu_page_targets.cuh"
#include "sort/device/pages/page_launchers.h"

template <typename INDEX>
static struct paged_target<INDEX> paged(const struct gs_gpu_work *work, gs_key *out) {
    return {out, UINT32_MAX, work->cursors, work->pages, &work->state->pages};
}

cudaError_t
gs_scatter_pages_gpu(const struct gs_gpu_work *work, const gs_key *in, gs_key *out, uint64_t n,
                     uint32_t bins, uint32_t most, unsigned processors, cudaStream_t stream)
{
    const int large = GS_GPU_TILE_KEYS / SCATTER_THREADS;
    if (needs_wide(n))
        return launch_bins<large>(work, in, n, paged<unsigned long long>(work, out), bins, most,
                                  processors, stream);
    return launch_bins<large>(work, in, n, paged<uint32_t>(work, out), bins, most, processors,
                              stream);
}
