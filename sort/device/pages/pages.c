/* pages.c -- place the memory for pages and rooms, so that a sorter need not count.
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/pages/pages.h"
#include "sort/device/device_sizes.h"
#include "sort/device/pages/page_launchers.h"
#include "sort/device/pages/sort_pages.h"

/* Below this, a level's count takes less time than the host needs to decide against it. */
#define PAGED_KEYS (1ULL << (GS_BITS == 32 ? 26 : 24))

/* Up to here GS_GPU_SPLIT_BINS bins of GS_GPU_DIGITS_MAX digits leave small jobs. */
#define SPLIT_KEYS ((1ULL << 30) + 1)

/* The most slots that bins are split into. */
static uint64_t most_splits(const struct gs_device_sorter *sorter)
{
    struct gs_gpu_work work = sorter->work;
    uint64_t slots = 0;
    for (unsigned i = 0; i < GS_DEVICE_STEPS; i++) {
        const uint64_t n = gs_device_step(sorter->capacity, i);
        const uint32_t bins = gs_device_sort_bins(n);
        gs_device_choose_jobs(&work, n);
        const uint64_t more = n / gs_device_split_keys(&work, n, bins) + 1 + GS_GPU_SPLIT_BINS;
        if (n >= sorter->room.split_keys && more > slots)
            slots = more;
    }
    return slots;
}

/* The pages that do not fit into the buffer: each bin has a last page that is not full, and one
 * more taken ahead if less than GS_GPU_AHEAD_KEYS of it are free. */
static uint64_t spare_pages(uint64_t bins)
{
    return bins + (bins * GS_GPU_AHEAD_KEYS + GS_GPU_PAGE_KEYS - 1) / GS_GPU_PAGE_KEYS;
}

/* Place pages and rooms in `memory`, or nowhere if that is NULL; returns the bytes of all. */
static size_t place_rooms(struct gs_device_sorter *sorter, char *memory)
{
    struct gs_gpu_pages *pages = &sorter->room.bin_pages;
    struct gs_gpu_pages *split = &sorter->room.split_pages;
    struct gs_gpu_rooms *rooms = &sorter->work.rooms;
    /* Not fewer if bins are to be split, as the caller may still change that. */
    const uint64_t bins = gs_device_bins_up_to(sorter->capacity, sorter->room.paged_keys);
    const uint64_t splits = GS_BITS == 32 ? most_splits(sorter) : 0;
    const uint64_t whole = sorter->capacity / GS_GPU_PAGE_KEYS;
    size_t total = 0;
    pages->page = gs_device_carve(&memory, &total, 2 * GS_GPU_PAGES_FACTOR * (whole + bins),
                                  sizeof *pages->page);
    pages->spare = gs_device_carve(&memory, &total, spare_pages(bins) * GS_GPU_PAGE_KEYS,
                                   sizeof *pages->spare);
    if (splits > 0) {
        /* Each slot may take as many pages as the largest bin. With fewer keys there may be half
         * the bins. */
        const uint64_t share =
            bins <= GS_GPU_SPLIT_BINS ? 2 * whole / bins : whole / GS_GPU_SPLIT_BINS;
        const uint64_t most = GS_GPU_PAGES_FACTOR * (share + 1) + 2;
        split->page = gs_device_carve(&memory, &total, splits * most, sizeof *split->page);
        split->spare = gs_device_carve(&memory, &total, spare_pages(splits) * GS_GPU_PAGE_KEYS,
                                       sizeof *split->spare);
        /* Level 2 has more slots than there are maps in place_lists(). */
        sorter->work.maps =
            gs_device_carve(&memory, &total, splits + bins, sizeof *sorter->work.maps);
    }
    if (GS_BITS > 32) /* level 2 is counted */
        return total;
    /* Rooms are 10 % larger than the keys to expect. A slot that does not fit into the buffer goes
     * to spare memory as a whole. */
    rooms->spare_keys = sorter->capacity / 8 + 2 * sorter->capacity / bins;
    rooms->spare = gs_device_carve(&memory, &total, rooms->spare_keys, sizeof *rooms->spare);
    sorter->work.narrow_jobs =
        gs_device_carve(&memory, &total, sorter->level_jobs, sizeof *sorter->work.narrow_jobs);
    return total;
}

size_t gs_device_sorter_room(struct gs_device_sorter *sorter)
{
    struct gs_device_room *room = &sorter->room;
    if (room->paged_keys == 0)
        room->paged_keys = PAGED_KEYS;
    if (room->split_keys == 0)
        room->split_keys = SPLIT_KEYS;
    return sorter->capacity < room->paged_keys || !sorter->work.rows ? 0
                                                                     : place_rooms(sorter, NULL);
}

void gs_device_sorter_place_room(struct gs_device_sorter *sorter, void *memory)
{
    place_rooms(sorter, memory);
    sorter->room.sort = gs_device_sort_pages;
#if GS_BITS == 32
    sorter->room.sort_narrow = gs_sort_narrow_gpu;
#endif
}
