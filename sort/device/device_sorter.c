/* device_sorter.c -- allocate the device memory of a GPU sample sort.
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/device_sorter.h"
#include "sort/device/device_sizes.h"
#include "sort/device/gpu_call.h"

#include <string.h>

/* The most slots of a level: each has more keys than a medium job of arbitrary values. */
static uint64_t level_slots(const struct gs_gpu_work *work, uint64_t capacity)
{
    return capacity / (work->rows ? GS_GPU_MEDIUM_KEYS : GS_GPU_SMALL_KEYS) + 1;
}

/* The most digits of a level, and so the most runs of equal keys that they can add; each may add
 * two jobs. A value of 1024 copies may have a digit. */
static uint64_t level_jobs(const struct gs_gpu_work *work, uint64_t capacity)
{
    const uint64_t slots = level_slots(work, capacity);
    if (GS_BITS > 32) /* two digits for 2,467 keys, one of them for a value that fills one */
        return capacity / GS_GPU_REPEATED + 2 * (slots + GS_GPU_SPLITTERS_MAX + 1);
    return capacity / GS_GPU_SUB_BIN_KEYS + slots * GS_GPU_DEEP_DIGITS + GS_GPU_SPLITTERS_MAX + 1;
}

/* Place each list in `memory`, or nowhere if that is NULL; returns the bytes of all. */
static size_t place_lists(struct gs_gpu_work *work, uint64_t capacity, char *memory)
{
    uint64_t slots = level_slots(work, capacity);
    uint64_t jobs = level_jobs(work, capacity);
    uint64_t bins = GS_GPU_SPLITTERS_MAX + 1;
    size_t total = 0;
    work->state = gs_device_carve(&memory, &total, 1, sizeof *work->state);
    work->tables = gs_device_carve(&memory, &total, 1, sizeof *work->tables);
    work->samples = gs_device_carve(&memory, &total, 2 * GS_GPU_SAMPLES_MAX, sizeof *work->samples);
    work->cursors = gs_device_carve(&memory, &total, bins, sizeof *work->cursors);
    work->counters = gs_device_carve(&memory, &total, jobs, GS_GPU_PARTS * sizeof *work->counters);
    work->heavy = gs_device_carve(&memory, &total, jobs, sizeof *work->heavy);
#if GS_BITS > 32
    work->tiles = gs_device_carve(&memory, &total, capacity / GS_GPU_TILE_KEYS + slots + bins,
                                  sizeof *work->tiles);
#endif
    /* One for each slot of level 2. */
    const uint64_t maps =
        GS_BITS == 32 && work->rows ? gs_device_bins_up_to(capacity, GS_GPU_ONE_LEVEL_KEYS + 1) : 0;
    work->maps = gs_device_carve(&memory, &total, maps, sizeof *work->maps);
    /* Slots of level 2 may be smaller than level_slots() assumes, but there is at most one for each
     * bin of level 1. */
    work->slots[0] = gs_device_carve(&memory, &total, slots + bins, sizeof *work->slots[0]);
    work->slots[1] = gs_device_carve(&memory, &total, slots + bins, sizeof *work->slots[1]);
    /* Lists are emptied once they hold one level's entries: a second level's must fit, too. */
    work->small_jobs = gs_device_carve(&memory, &total, 2 * jobs, sizeof *work->small_jobs);
    work->medium_jobs = gs_device_carve(&memory, &total, capacity / GS_GPU_SMALL_KEYS + bins,
                                        sizeof *work->medium_jobs);
    work->fills = gs_device_carve(&memory, &total, 2 * jobs + slots + capacity / GS_GPU_FILL_KEYS,
                                  sizeof *work->fills);
    return total;
}

enum gs_status gs_device_sorter_plan(struct gs_device_sorter *sorter, uint64_t capacity,
                                     size_t *bytes, struct gs_error *err)
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
    sorter->work.block_bytes = (uint32_t)room;
    sorter->work.rows = room >= GS_GPU_ROOM;
    /* Without rows, 64 KiB of shared memory are then enough for all kernels, except for more than
     * 2^31 keys at once. */
    sorter->work.cells = sorter->work.rows ? GS_GPU_CELLS_MAX : GS_GPU_CELLS_MAX / 2;
    sorter->work.large_values = room >= GS_GPU_VALUE_ROOM;
    gs_device_choose_jobs(&sorter->work, capacity);
    sorter->level_jobs = level_jobs(&sorter->work, capacity);
    *bytes = place_lists(&sorter->work, capacity, NULL);
cleanup:
    return st;
}

void gs_device_sorter_place(struct gs_device_sorter *sorter, void *memory,
                            struct gs_gpu_report *report)
{
    place_lists(&sorter->work, sorter->capacity, memory);
    sorter->work.report = report;
    sorter->sequence = report != NULL ? report->sequence : 0;
}

enum gs_status gs_device_sorter_open(struct gs_device_sorter *sorter, uint64_t capacity,
                                     struct gs_error *err)
{
    enum gs_status st = GS_OK;
    size_t bytes = 0;
    struct gs_gpu_report *report;
    GS_TRY(gs_device_sorter_plan(sorter, capacity, &bytes, err));
    GS_CUDA_TRY(cudaMalloc(&sorter->memory, bytes));
    GS_CUDA_TRY(cudaMemset(sorter->memory, 0, bytes)); /* padding gets copied, too */
    GS_CUDA_TRY(cudaStreamSynchronize(NULL));          /* the sorter's stream may be non-blocking */
    GS_CUDA_TRY(cudaHostAlloc((void **)&report, sizeof *report, cudaHostAllocMapped));
    memset(report, 0, sizeof *report);
    gs_device_sorter_place(sorter, sorter->memory, report);
    for (unsigned i = 0; i < sizeof sorter->events / sizeof *sorter->events; i++)
        GS_CUDA_TRY(cudaEventCreate(&sorter->events[i]));
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
    if (sorter->work.report != NULL)
        cudaFreeHost(sorter->work.report);
    memset(sorter, 0, sizeof *sorter);
}
