/* sort_pages.h -- the order of those levels of the GPU sample sort that need no count.
 * SPDX-License-Identifier: MIT
 *
 * Internal to pages/ and to u32/sort_rooms.c.
 */
#ifndef GS_SORT_PAGES_H
#define GS_SORT_PAGES_H

#include "sort/device/device_levels.h"

/* gs_device_sort for a sorter with room and n from room.paged_keys on. may_swap: the result may
 * stay in `other`, as stats->in_other then says. */
enum gs_status gs_device_sort_pages(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                    uint64_t n, bool may_swap, struct gs_device_stats *stats,
                                    struct gs_error *err);

/* Continue from the slots of level 1, which are in pages in `other`; with `split`, they are split
 * first. may_swap as above; ahead: NOTHING or COUNTS. */
enum gs_status gs_device_sort_paged(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                    uint64_t n, bool split, bool may_swap,
                                    enum gs_device_ahead ahead, struct gs_gpu_report *report,
                                    struct gs_device_stats *stats, struct gs_error *err);

/* The most keys of a slot of level 1 in pages. */
static inline uint64_t gs_device_most_paged(const struct gs_device_sorter *sorter)
{
    return (uint64_t)sorter->work.pages.most * GS_GPU_PAGE_KEYS;
}

/* The number of keys wanted in each of the slots that level 1's slots are split into, for n keys in
 * `bins` bins: level 2 then has about as many digits. */
uint64_t gs_device_split_keys(const struct gs_gpu_work *work, uint64_t n, uint32_t bins);

#endif
