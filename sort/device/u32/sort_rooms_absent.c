/* sort_rooms_absent.c -- from slots in pages on: wider keys are counted there.
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/device_levels.h"
#include "sort/device/gpu_call.h"
#include "sort/device/pages/sort_pages.h"

enum gs_status gs_device_sort_paged(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                    uint64_t n, bool split, bool may_swap,
                                    enum gs_device_ahead ahead, struct gs_gpu_report *report,
                                    struct gs_device_stats *stats, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    (void)n;
    (void)split;
    (void)may_swap;
    if (ahead != GS_DEVICE_COUNTS)
        GS_CUDA_TRY(gs_device_clear_counters(sorter, report));
    st = gs_device_sort_slots(sorter, keys, other, gs_device_most_paged(sorter), 1, ahead, report,
                              stats, err);
cleanup:
    return st;
}
