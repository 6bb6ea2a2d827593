/* sort_rooms.c -- from slots in pages on: levels of 32-bit keys that need no count.
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/device_levels.h"
#include "sort/device/gpu_call.h"
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/device/pages/page_launchers.h"
#include "sort/device/pages/sort_pages.h"

/* Level 2 without a count: from the pages of its slots in `from` to rooms in `to`. The result is in
 * `from`. */
static enum gs_status sort_rooms(struct gs_device_sorter *sorter, gs_key *from, gs_key *to,
                                 uint64_t n, struct gs_gpu_report *report,
                                 struct gs_device_stats *stats, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_gpu_work *work = &sorter->work;
    cudaStream_t stream = sorter->stream;
    if (report->tiles == 0) { /* no slot has two values */
        report->slots = 0;
        return gs_device_sort_slots(sorter, from, to, n, 2, GS_DEVICE_NOTHING, report, stats, err);
    }
    GS_CUDA_TRY(gs_choose_rooms_gpu(work, from, to, n, report->slots, stream));
    GS_CUDA_TRY(gs_device_clear_counters(sorter, report));
    GS_CUDA_TRY(gs_scatter_rooms_gpu(work, from, to, report->slots, report->tiles, stream));
    GS_CUDA_TRY(gs_plan_rooms_gpu(work, report->slots, stream));
    GS_CUDA_TRY(gs_device_plan_level(sorter, 3));
    GS_CUDA_TRY(gs_device_await_report(sorter, report));
    return gs_device_sort_slots(sorter, from, to, n, 2, GS_DEVICE_ROOMS, report, stats, err);
cleanup:
    return st;
}

/* Continue from the slots of level 1, which are in pages in `other`. If level 2 needs no count, the
 * result stays in `other`; may_swap allows that. */
static enum gs_status sort_slots(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                 uint64_t n, struct gs_gpu_report *report,
                                 struct gs_device_stats *stats, bool may_swap, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    if (report->repeats || report->uneven || report->slots == 0 || !may_swap) {
        GS_CUDA_TRY(gs_device_clear_counters(sorter, report));
        return gs_device_sort_slots(sorter, keys, other, gs_device_most_paged(sorter), 1,
                                    GS_DEVICE_NOTHING, report, stats, err);
    }
    stats->in_other = true;
    return sort_rooms(sorter, other, keys, n, report, stats, err);
cleanup:
    return st;
}

/* The same, but split the slots first, into pages in `keys`. If level 2 needs a count, the result
 * is in `other`, or with may_swap == false copied to `keys`. */
static enum gs_status split_slots(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                  uint64_t n, struct gs_gpu_report *report,
                                  struct gs_device_stats *stats, bool may_swap,
                                  struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_gpu_work *work = &sorter->work;
    const enum gs_gpu_digits digits = gs_device_choose_digits(1, report);
    const uint64_t most = gs_device_most_paged(sorter);
    work->split = sorter->room.split_pages;
    work->split.whole = work->pages.whole;
    if (report->tiles > 0) { /* else no slot has two values */
        if (digits != GS_GPU_LINEAR)
            GS_CUDA_TRY(gs_map_digits_gpu(work, 1, other, report->slots, digits, sorter->stream));
        GS_CUDA_TRY(gs_split_pages_gpu(work, other, keys, n, report->slots, report->tiles, digits,
                                       sorter->stream));
    }
    work->pages = work->split;
    GS_CUDA_TRY(gs_device_plan_level(sorter, 2));
    GS_CUDA_TRY(gs_device_await_report(sorter, report));
    if (digits == GS_GPU_LINEAR) {
        GS_TRY(sort_rooms(sorter, keys, other, n, report, stats, err));
    } else {
        GS_CUDA_TRY(gs_device_clear_counters(sorter, report));
        GS_TRY(gs_device_sort_slots(sorter, other, keys, most, 1, GS_DEVICE_NOTHING, report, stats,
                                    err));
        if (!may_swap)
            GS_CUDA_TRY(cudaMemcpyAsync(keys, other, n * sizeof *keys, cudaMemcpyDeviceToDevice,
                                        sorter->stream));
        stats->in_other = may_swap;
    }
    stats->levels++;
    stats->split = true;
cleanup:
    return st;
}

enum gs_status gs_device_sort_paged(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                    uint64_t n, bool split, bool may_swap,
                                    enum gs_device_ahead ahead, struct gs_gpu_report *report,
                                    struct gs_device_stats *stats, struct gs_error *err)
{
    (void)ahead;
    return split ? split_slots(sorter, keys, other, n, report, stats, may_swap, err)
                 : sort_slots(sorter, keys, other, n, report, stats, may_swap, err);
}
