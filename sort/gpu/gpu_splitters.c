/* gpu_splitters.c -- give the device the splitters that the host has chosen.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu/gpu_splitters.h"
#include "sort/device/gpu_call.h"
#include "sort/device/kernels/gpu_launchers.h"

void gs_gpu_fit_splitters(struct gs_gpu_splitters *fitted, struct gs_splitters *splitters)
{
    gs_key *splitter = splitters->splitter;
#if GS_BITS == 32
    for (uint32_t i = 0; i < splitters->count; i++)
        fitted->splitter[i] = splitter[i];
#else
    const uint32_t last = splitters->count > 0 ? splitters->count - 1 : 0;
    const uint32_t bits = 31; /* a splitter may then be one more than the last */
    uint32_t kept = 0;
    fitted->scale = gs_gpu_scale(splitter[0], splitter[last], bits);
    for (uint32_t i = 0; i < splitters->count; i++) {
        const uint32_t proxy = gs_gpu_proxy(fitted->scale, splitter[i]);
        const gs_key largest = gs_gpu_least(fitted->scale, (uint64_t)proxy + 1) - 1;
        if (kept > 0 && fitted->splitter[kept - 1] == proxy)
            continue;
        if (largest < splitter[i] || largest == GS_KEY_MAX) /* nothing lies above it */
            break;
        fitted->splitter[kept] = proxy;
        splitter[kept++] = largest;
    }
    splitters->count = kept;
#endif
}

enum gs_status gs_gpu_send_splitters(const struct gs_gpu_splitters *fitted, uint32_t count,
                                     uint32_t bins, const struct gs_gpu_work *work,
                                     cudaStream_t stream, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_gpu_tables *tables = work->tables;
    GS_CUDA_TRY(cudaMemsetAsync(work->state, 0, sizeof *work->state, stream));
    /* The host has seen disorder, so the device need not look for order. */
    GS_CUDA_TRY(
        cudaMemsetAsync(&work->state->sample_order, GS_GPU_DESCENT | GS_GPU_ASCENT, 1, stream));
    GS_CUDA_TRY(
        cudaMemcpyAsync(&tables->count, &count, sizeof count, cudaMemcpyHostToDevice, stream));
    GS_CUDA_TRY(cudaMemcpyAsync(tables->splitter, fitted->splitter,
                                count * sizeof *fitted->splitter, cudaMemcpyHostToDevice, stream));
#if GS_BITS > 32
    GS_CUDA_TRY(cudaMemcpyAsync(&tables->scale, &fitted->scale, sizeof fitted->scale,
                                cudaMemcpyHostToDevice, stream));
#endif
    GS_CUDA_TRY(gs_build_tables_gpu(work, bins, stream));
cleanup:
    return st;
}
