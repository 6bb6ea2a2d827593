/* values_absent.c -- functions of gpu_launchers.h that only keys of 32 bits have.
 * SPDX-License-Identifier: MIT
 *
 * Of wider keys, a slot's values are never counted: it is split by splitters with equality bins,
 * and a level tells the bounds of the next one's slots.
 */
#include "sort/device/kernels/gpu_launchers.h"

cudaError_t gs_count_values_gpu(const struct gs_gpu_work *work, unsigned level, gs_key *a,
                                gs_key *b, uint32_t slots, uint32_t tiles, unsigned processors,
                                cudaStream_t stream)
{
    (void)work;
    (void)level;
    (void)a;
    (void)b;
    (void)slots;
    (void)tiles;
    (void)processors;
    (void)stream;
    return cudaSuccess;
}

cudaError_t gs_write_values_gpu(const struct gs_gpu_work *work, unsigned level, gs_key *a,
                                const gs_key *b, uint32_t slots, uint32_t tiles,
                                unsigned processors, cudaStream_t stream)
{
    (void)work;
    (void)level;
    (void)a;
    (void)b;
    (void)slots;
    (void)tiles;
    (void)processors;
    (void)stream;
    return cudaSuccess;
}

cudaError_t gs_find_heavy_gpu(const struct gs_gpu_work *work, unsigned level, const gs_key *keys,
                              uint32_t slots, enum gs_gpu_digits digits, cudaStream_t stream)
{
    (void)work;
    (void)level;
    (void)keys;
    (void)slots;
    (void)digits;
    (void)stream;
    return cudaSuccess;
}

cudaError_t gs_find_bounds_gpu(const struct gs_gpu_work *work, unsigned level, const gs_key *keys,
                               uint32_t slots, uint32_t tiles, cudaStream_t stream)
{
    (void)work;
    (void)level;
    (void)keys;
    (void)slots;
    (void)tiles;
    (void)stream;
    return cudaSuccess;
}
