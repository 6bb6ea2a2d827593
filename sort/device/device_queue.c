/* device_queue.c -- the rest of a sort on the device, queued at once: the host is told nothing.
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/device_queue.h"
#include "sort/device/kernels/gpu_launchers.h"

/* All ways of level 2 to find digits. Kernels of the ways that were not chosen end at once. */
static const enum gs_gpu_digits kinds[] = {GS_GPU_LINEAR,
#if GS_BITS == 32
                                           GS_GPU_MAPPED, GS_GPU_DIVIDED
#else
                                           GS_GPU_SPLIT
#endif
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The most small jobs and runs that levels 1 and 2 list. At level 2, a digit of at least
 * sub_bin_keys * 4 / 5 keys on average adds three at most, of values that repeat, or one for each
 * of two digits to sub_bin_keys * 2 / 3; or it has a value of GS_GPU_REPEATED copies. */
static uint32_t most_listed(uint64_t n, uint32_t bins)
{
    const uint64_t share = GS_GPU_SUB_BIN_KEYS * 4 / 5 / 3;
    static_assert(GS_GPU_SUB_BIN_KEYS * 4 / 5 / 3 < GS_GPU_REPEATED &&
                      GS_GPU_SUB_BIN_KEYS * 4 / 5 / 3 < GS_GPU_SUB_BIN_KEYS / 3,
                  "that is the least");
    return (uint32_t)(n / share + n / GS_GPU_FILL_KEYS + 5 * (uint64_t)bins);
}

cudaError_t gs_device_queue_rest(const struct gs_device_sorter *sorter, const gs_key *source,
                                 gs_key *keys, gs_key *other, uint64_t n, uint32_t bins)
{
    const struct gs_gpu_work *work = &sorter->work;
    const cudaStream_t stream = sorter->stream;
    const uint64_t large = n / work->small_keys + 1; /* bins that are no small jobs */
    const uint32_t slots = large < bins ? (uint32_t)large : bins;
    /* One level is enough for bins of these, so that how their keys are spread is not asked. */
    const bool known = n <= GS_GPU_ONE_LEVEL_KEYS;
    const int first = known && GS_BITS > 32 ? KINDS - 1 : 0;
    const int end = known ? first + 1 : KINDS;
    const uint32_t tiles = (uint32_t)(n / GS_GPU_TILE_KEYS) + slots;
    cudaError_t error = gs_write_ordered_gpu(work, source, keys, n, sorter->processors, stream);
    for (int i = first; i < end && error == cudaSuccess; i++) {
        if (kinds[i] != GS_GPU_LINEAR)
            error = gs_map_digits_gpu(work, 2, other, slots, kinds[i], stream);
        if (GS_BITS == 32 && error == cudaSuccess)
            error = gs_find_heavy_gpu(work, 2, other, slots, kinds[i], stream);
        if (error == cudaSuccess)
            error = gs_count_digits_gpu(work, 2, other, slots, tiles, kinds[i], stream);
    }
    if (error == cudaSuccess)
        error = gs_plan_digits_gpu(work, 2, slots, stream);
    for (int i = first; i < end && error == cudaSuccess; i++)
        error = gs_scatter_digits_gpu(work, 2, other, keys, n, slots, tiles, kinds[i], stream);
    if (error == cudaSuccess)
        error = gs_sort_listed_gpu(work, keys, other, most_listed(n, bins), stream);
    if (error == cudaSuccess && work->medium_keys > work->small_keys)
        error = gs_sort_medium_gpu(work, keys, other, (uint32_t)large, stream);
    if (error == cudaSuccess)
        error = gs_plan_level_gpu(work, 3, 0, stream);
    return error == cudaSuccess
               ? gs_merge_slots_gpu(work, keys, other, n, sorter->processors, stream)
               : error;
}
