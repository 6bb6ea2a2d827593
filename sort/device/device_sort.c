/* device_sort.c -- the GPU sample sort of keys in device memory: from the sample to the levels.
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/device_sort.h"
#include "sort/device/device_levels.h"
#include "sort/device/device_sizes.h"
#include "sort/device/device_times.h"
#include "sort/device/gpu_call.h"
#include "sort/device/kernels/gpu_launchers.h"

#include <string.h>

enum gs_status gs_device_sort(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                              uint64_t n, struct gs_device_stats *stats, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_device_stats ignored = {0};
    const bool may_swap = stats != NULL;
    stats = may_swap ? stats : &ignored;
    memset(stats, 0, sizeof *stats);
    gs_device_clear_marks(sorter);
    if (n > sorter->capacity)
        return gs_fail(err, GS_ERR_INTERNAL, 0, "device sort of more keys than its capacity");

    gs_device_mark(sorter, GS_DEVICE_COUNT_BINS);
    gs_device_choose_jobs(&sorter->work, n);
    if (n <= sorter->few_keys) {
        GS_CUDA_TRY(gs_device_copy_source(sorter, keys, n));
        GS_CUDA_TRY(gs_sort_few_gpu(keys, other, (uint32_t)n, sorter->stream));
        gs_device_mark(sorter, GS_DEVICE_SORT_BINS);
        if (sorter->timed)
            GS_CUDA_TRY(gs_device_take_times(sorter, stats));
        return GS_OK;
    }
    if (sorter->room.sort != NULL && n >= sorter->room.paged_keys)
        return sorter->room.sort(sorter, keys, other, n, may_swap, stats, err);

    /* Level 1: by splitters, from keys to other. */
    const gs_key *source = gs_device_source(sorter, keys);
    const uint32_t bins = gs_device_sort_bins(n);
    const uint32_t most = gs_device_most_bins(n, bins);
    const uint32_t samples = gs_device_samples(n, bins);
    GS_CUDA_TRY(gs_select_samples_gpu(&sorter->work, source, n, samples, sorter->stream));
    GS_CUDA_TRY(gs_device_choose_splitters(sorter, n, samples, bins, most, bins, false));
    GS_CUDA_TRY(
        gs_count_bins_gpu(&sorter->work, source, n, most, sorter->processors, sorter->stream));
    gs_device_mark(sorter, GS_DEVICE_COUNT_BINS);
    st = gs_device_sort_from_counts(sorter, keys, other, n, most, 2 * most, stats, err);
cleanup:
    return st;
}

enum gs_status gs_device_sort_counted(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                      uint64_t n, uint32_t bins, struct gs_device_stats *stats,
                                      struct gs_error *err)
{
    memset(stats, 0, sizeof *stats);
    gs_device_clear_marks(sorter);
    gs_device_mark(sorter, GS_DEVICE_COUNT_BINS);
    return gs_device_sort_from_counts(sorter, keys, other, n, bins, 2 * bins, stats, err);
}
