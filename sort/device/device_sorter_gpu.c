/* device_sorter_gpu.c -- allocate the device memory of a GPU sample sort.
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/device_sort.h"
#include "sort/device/gpu_call.h"

#include <string.h>

/* Below this, a level's count takes less time than the host needs to decide against it. */
#define PAGED_KEYS (1ULL << 26)

/* Up to here GS_GPU_SPLIT_BINS bins of GS_GPU_DIGITS_MAX digits leave small jobs. */
#define SPLIT_KEYS ((1ULL << 30) + 1)

/* The most slots of a level: each has more keys than a medium job of arbitrary values. */
static uint64_t level_slots(const struct gs_gpu_work *work, uint64_t capacity)
{
    return capacity / (work->rows ? GS_GPU_MEDIUM_KEYS : GS_GPU_SMALL_KEYS) + 1;
}

/* The most digits of a level, and so the most runs of equal keys that they can add; each may add
 * two jobs. */
static uint64_t level_jobs(const struct gs_gpu_work *work, uint64_t capacity)
{
    return capacity / GS_GPU_SUB_BIN_KEYS + level_slots(work, capacity) * GS_GPU_DEEP_DIGITS +
           GS_GPU_SPLITTERS_MAX + 1;
}

/* The n up to `capacity` at which there may be most bins, or most slots that they are split
 * into. */
enum { STEPS = 3 };

static uint64_t step(uint64_t capacity, unsigned i)
{
    const uint64_t steps[STEPS] = {GS_GPU_ONE_LEVEL_KEYS, GS_GPU_DOUBLE_JOBS_KEYS, capacity};
    return steps[i] < capacity ? steps[i] : capacity;
}

/* The most bins of level 1, without equality bins, for n from `least` to `capacity`. */
static uint64_t most_bins(uint64_t capacity, uint64_t least)
{
    uint64_t bins = 1;
    for (unsigned i = 0; i < STEPS; i++) {
        const uint64_t more = gs_device_sort_bins(step(capacity, i));
        if (step(capacity, i) >= least && more > bins)
            bins = more;
    }
    return bins;
}

/* Cut an array from the memory at *next, which may be NULL to find out how much is needed. */
static void *carve(char **next, size_t *total, uint64_t count, size_t size)
{
    size_t bytes = ((size_t)count * size + 255) / 256 * 256;
    void *piece = *next;
    *total += bytes;
    if (*next != NULL)
        *next += bytes;
    return piece;
}

/* Place each list in `memory`, or nowhere if that is NULL; returns the bytes of all. */
static size_t place_lists(struct gs_gpu_work *work, uint64_t capacity, char *memory)
{
    uint64_t slots = level_slots(work, capacity);
    uint64_t jobs = level_jobs(work, capacity);
    uint64_t bins = GS_GPU_SPLITTERS_MAX + 1;
    size_t total = 0;
    work->state = carve(&memory, &total, 1, sizeof *work->state);
    work->tables = carve(&memory, &total, 1, sizeof *work->tables);
    work->samples = carve(&memory, &total, 2 * GS_GPU_SAMPLES_MAX, sizeof *work->samples);
    work->cursors = carve(&memory, &total, bins, sizeof *work->cursors);
    work->counters = carve(&memory, &total, jobs, GS_GPU_PARTS * sizeof *work->counters);
    work->heavy = carve(&memory, &total, jobs, sizeof *work->heavy);
    /* One for each slot of level 2. */
    const uint64_t maps = work->rows ? most_bins(capacity, GS_GPU_ONE_LEVEL_KEYS + 1) : 0;
    work->maps = carve(&memory, &total, maps, sizeof *work->maps);
    /* Slots of level 2 may be smaller than level_slots() assumes, but there is at most one for each
     * bin of level 1. */
    work->slots[0] = carve(&memory, &total, slots + bins, sizeof *work->slots[0]);
    work->slots[1] = carve(&memory, &total, slots + bins, sizeof *work->slots[1]);
    /* Lists are emptied once they hold one level's entries: a second level's must fit, too. */
    work->small_jobs = carve(&memory, &total, 2 * jobs, sizeof *work->small_jobs);
    work->medium_jobs =
        carve(&memory, &total, capacity / GS_GPU_SMALL_KEYS + bins, sizeof *work->medium_jobs);
    work->fills =
        carve(&memory, &total, 2 * jobs + slots + capacity / GS_GPU_FILL_KEYS, sizeof *work->fills);
    return total;
}

void gs_device_choose_jobs(struct gs_gpu_work *work, uint64_t n)
{
    uint32_t scale = n > GS_GPU_DOUBLE_JOBS_KEYS && work->rows ? 2 : 1;
    work->small_keys = scale * GS_GPU_SMALL_KEYS;
    work->sub_bin_keys = scale * GS_GPU_SUB_BIN_KEYS;
    work->medium_keys = work->rows ? GS_GPU_MEDIUM_KEYS : work->small_keys;
}

enum gs_status gs_device_sorter_open(struct gs_device_sorter *sorter, uint64_t capacity,
                                     struct gs_error *err)
{
    enum gs_status st = GS_OK;
    int device = 0;
    int processors = 0;
    int room = 0;
    memset(sorter, 0, sizeof *sorter);
    sorter->capacity = capacity;
    GS_CUDA_TRY(cudaGetDevice(&device));
    GS_CUDA_TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    sorter->processors = (unsigned)processors;
    GS_CUDA_TRY(cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    sorter->few_keys = GS_GPU_FEW_KEYS;
    sorter->paged_keys = PAGED_KEYS;
    sorter->split_keys = SPLIT_KEYS;
    sorter->work.block_bytes = (uint32_t)room;
    sorter->work.rows = room >= GS_GPU_ROOM;
    /* Without rows, 64 KiB of shared memory are then enough for all kernels, except for more than
     * 2^31 keys at once. */
    sorter->work.cells = sorter->work.rows ? GS_GPU_CELLS_MAX : GS_GPU_CELLS_MAX / 2;
    sorter->work.large_values = room >= GS_GPU_VALUE_ROOM;
    gs_device_choose_jobs(&sorter->work, capacity);
    sorter->level_jobs = level_jobs(&sorter->work, capacity);
    size_t bytes = place_lists(&sorter->work, capacity, NULL);
    GS_CUDA_TRY(cudaMalloc(&sorter->memory, bytes));
    GS_CUDA_TRY(cudaMemset(sorter->memory, 0, bytes)); /* padding gets copied, too */
    GS_CUDA_TRY(cudaStreamSynchronize(NULL));          /* the sorter's stream may be non-blocking */
    place_lists(&sorter->work, capacity, sorter->memory);
    GS_CUDA_TRY(cudaHostAlloc((void **)&sorter->work.report, sizeof *sorter->work.report,
                              cudaHostAllocMapped));
    memset(sorter->work.report, 0, sizeof *sorter->work.report);
    for (unsigned i = 0; i < sizeof sorter->events / sizeof *sorter->events; i++)
        GS_CUDA_TRY(cudaEventCreate(&sorter->events[i]));
cleanup:
    return st;
}

/* The most slots that bins are split into. */
static uint64_t most_splits(const struct gs_device_sorter *sorter)
{
    struct gs_gpu_work work = sorter->work;
    uint64_t slots = 0;
    for (unsigned i = 0; i < STEPS; i++) {
        const uint64_t n = step(sorter->capacity, i);
        const uint32_t bins = gs_device_sort_bins(n);
        gs_device_choose_jobs(&work, n);
        const uint64_t more = n / gs_device_split_keys(&work, n, bins) + 1 + GS_GPU_SPLIT_BINS;
        if (n >= sorter->split_keys && more > slots)
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
    struct gs_gpu_pages *pages = &sorter->bin_pages;
    struct gs_gpu_pages *split = &sorter->split_pages;
    struct gs_gpu_rooms *rooms = &sorter->work.rooms;
    /* Not fewer if bins are to be split, as the caller may still change that. */
    const uint64_t bins = most_bins(sorter->capacity, sorter->paged_keys);
    const uint64_t splits = most_splits(sorter);
    const uint64_t whole = sorter->capacity / GS_GPU_PAGE_KEYS;
    size_t total = 0;
    pages->page =
        carve(&memory, &total, 2 * GS_GPU_PAGES_FACTOR * (whole + bins), sizeof *pages->page);
    pages->spare =
        carve(&memory, &total, spare_pages(bins) * GS_GPU_PAGE_KEYS, sizeof *pages->spare);
    if (splits > 0) {
        /* Each slot may take as many pages as the largest bin. With fewer keys there may be half
         * the bins. */
        const uint64_t share =
            bins <= GS_GPU_SPLIT_BINS ? 2 * whole / bins : whole / GS_GPU_SPLIT_BINS;
        const uint64_t most = GS_GPU_PAGES_FACTOR * (share + 1) + 2;
        split->page = carve(&memory, &total, splits * most, sizeof *split->page);
        split->spare =
            carve(&memory, &total, spare_pages(splits) * GS_GPU_PAGE_KEYS, sizeof *split->spare);
        /* Level 2 has more slots than there are maps in place_lists(). */
        sorter->work.maps = carve(&memory, &total, splits + bins, sizeof *sorter->work.maps);
    }
    /* Rooms are 10 % larger than the keys to expect. A slot that does not fit into the buffer goes
     * to spare memory as a whole. */
    rooms->spare_keys = sorter->capacity / 8 + 2 * sorter->capacity / bins;
    rooms->spare = carve(&memory, &total, rooms->spare_keys, sizeof *rooms->spare);
    sorter->work.narrow_jobs =
        carve(&memory, &total, sorter->level_jobs, sizeof *sorter->work.narrow_jobs);
    return total;
}

enum gs_status gs_device_sorter_add_room(struct gs_device_sorter *sorter, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    if (sorter->capacity < sorter->paged_keys || !sorter->work.rows || sorter->room != NULL)
        return GS_OK;
    size_t bytes = place_rooms(sorter, NULL);
    GS_CUDA_TRY(cudaMalloc(&sorter->room, bytes));
    place_rooms(sorter, sorter->room);
cleanup:
    return st;
}

void gs_device_sorter_close(struct gs_device_sorter *sorter)
{
    for (unsigned i = 0; i < sizeof sorter->events / sizeof *sorter->events; i++)
        if (sorter->events[i] != NULL)
            cudaEventDestroy(sorter->events[i]);
    if (sorter->memory != NULL)
        cudaFree(sorter->memory);
    if (sorter->room != NULL)
        cudaFree(sorter->room);
    if (sorter->work.report != NULL)
        cudaFreeHost(sorter->work.report);
    memset(sorter, 0, sizeof *sorter);
}
