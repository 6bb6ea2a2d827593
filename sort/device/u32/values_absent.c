/* values_absent.c -- the functions of gpu_launchers.h that count values, for keys of over 32 bits.
 * SPDX-License-Identifier: MIT
 *
 * A slot's values are never counted then: it is split by digits, and heavy values are not moved.
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
