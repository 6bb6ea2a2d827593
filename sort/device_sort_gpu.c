/* device_sort_gpu.c -- the GPU sample sort of keys in device memory: memory, order of the stages.
 * SPDX-License-Identifier: MIT
 *
 * The host knows after each level how many slots, tiles and jobs there are: the device writes that
 * to pinned memory before the level's scatter, and the host reads it while the scatter runs. So
 * grids are exact, no kernel starts in vain, and the device does not wait for the host but at small
 * n.
 */
#include "sort/device_sort.h"
#include "sort/gpu_call.h"

#include <string.h>

/* Up to here bins of one level fit a block; above, two levels share the work evenly. */
#define ONE_LEVEL_KEYS (1U << 20)
#define ONE_LEVEL_BIN  2048

/* Above, a small job is twice as large: 2^30 keys are 256 bins of 600 sub-bins of 7000. */
#define DOUBLE_JOBS_KEYS (1U << 29)

#define OVERSAMPLING_ONE_LEVEL 16
#define OVERSAMPLING           64
#define SAMPLES_MAX            GS_GPU_SAMPLES_MAX
#define DIGITS_WANTED          640 /* of a slot at most, while splitters are not all used */

/* Keys that level 1 with so many bins and one further level bring down to small jobs. Digits are
 * cheaper than splitters: twice as many of them. */
static uint64_t two_level_keys(uint32_t bins, uint64_t n)
{
    uint64_t digits = bins < 256 ? 2 * bins : DIGITS_WANTED;
    return bins * digits * GS_GPU_SUB_BIN_KEYS * (n > DOUBLE_JOBS_KEYS ? 2 : 1);
}

uint32_t gs_device_sort_bins(uint64_t n)
{
    uint32_t bins = 8;
    if (n <= ONE_LEVEL_KEYS)
        while (bins < GS_GPU_BINS_MAX && (uint64_t)bins * ONE_LEVEL_BIN < n)
            bins *= 2;
    else
        while (bins < GS_GPU_BINS_MAX && two_level_keys(bins, n) < n)
            bins *= 2;
    return bins;
}

static uint32_t choose_samples(uint64_t n, uint32_t bins)
{
    uint32_t samples = bins * (n <= ONE_LEVEL_KEYS ? OVERSAMPLING_ONE_LEVEL : OVERSAMPLING);
    return samples < SAMPLES_MAX ? samples : SAMPLES_MAX;
}

/* Slots of a level at most: each has more keys than any job. */
static uint64_t level_slots(const struct gs_gpu_work *work, uint64_t capacity)
{
    return capacity / (work->rows ? GS_GPU_MEDIUM_KEYS : GS_GPU_SMALL_KEYS) + 1;
}

/* Digits of a level at most, which is also the runs of equal keys that they can add; jobs are up to
 * two for each. */
static uint64_t level_jobs(const struct gs_gpu_work *work, uint64_t capacity)
{
    return capacity / GS_GPU_SUB_BIN_KEYS + level_slots(work, capacity) * GS_GPU_DEEP_DIGITS +
           GS_GPU_SPLITTERS_MAX + 1;
}

/* Cut `bytes` from the memory at *next, which may be NULL to find out how much is needed. */
static void *carve(char **next, size_t *total, uint64_t count, size_t size)
{
    size_t bytes = ((size_t)count * size + 255) / 256 * 256;
    void *piece = *next;
    *total += bytes;
    if (*next != NULL)
        *next += bytes;
    return piece;
}

/* Give each list its place; returns the bytes of all. */
static size_t place_lists(struct gs_gpu_work *work, uint64_t capacity, char *memory)
{
    uint64_t slots = level_slots(work, capacity);
    uint64_t jobs = level_jobs(work, capacity);
    uint64_t bins = GS_GPU_SPLITTERS_MAX + 1;
    size_t total = 0;
    work->state = carve(&memory, &total, 1, sizeof *work->state);
    work->tables = carve(&memory, &total, 1, sizeof *work->tables);
    work->samples = carve(&memory, &total, 2 * SAMPLES_MAX, sizeof *work->samples);
    work->cursors = carve(&memory, &total, bins, sizeof *work->cursors);
    work->counters = carve(&memory, &total, jobs, GS_GPU_PARTS * sizeof *work->counters);
    work->heavy = carve(&memory, &total, jobs, sizeof *work->heavy);
    work->slots[0] = carve(&memory, &total, slots, sizeof *work->slots[0]);
    work->slots[1] = carve(&memory, &total, slots, sizeof *work->slots[1]);
    /* Lists are emptied when one level's entries are in them: a second level's must fit, too. */
    work->small_jobs = carve(&memory, &total, 2 * jobs, sizeof *work->small_jobs);
    work->medium_jobs =
        carve(&memory, &total, capacity / GS_GPU_SMALL_KEYS + bins, sizeof *work->medium_jobs);
    work->fills =
        carve(&memory, &total, 2 * jobs + slots + capacity / GS_GPU_FILL_KEYS, sizeof *work->fills);
    return total;
}

/* How large jobs may be for n keys: so that two levels are enough for all but the very largest n.
 */
static void choose_jobs(struct gs_gpu_work *work, uint64_t n)
{
    uint32_t scale = n > DOUBLE_JOBS_KEYS ? 2 : 1;
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
    sorter->work.rows = room >= GS_GPU_ROOM;
    choose_jobs(&sorter->work, capacity);
    size_t bytes = place_lists(&sorter->work, capacity, NULL);
    GS_CUDA_TRY(cudaMalloc(&sorter->memory, bytes));
    GS_CUDA_TRY(cudaMemset(sorter->memory, 0, bytes)); /* padding is copied with what it pads */
    GS_CUDA_TRY(cudaStreamSynchronize(NULL)); /* the sorter's stream may not wait for that one */
    place_lists(&sorter->work, capacity, sorter->memory);
    GS_CUDA_TRY(cudaHostAlloc((void **)&sorter->work.report, sizeof *sorter->work.report,
                              cudaHostAllocMapped));
    memset(sorter->work.report, 0, sizeof *sorter->work.report);
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

/* The time from the mark before up to this one belongs to `stage`. */
static void mark(struct gs_device_sorter *sorter, enum gs_device_stage stage)
{
    unsigned i = sorter->event_count;
    if (!sorter->timed || i == sizeof sorter->events / sizeof *sorter->events)
        return;
    sorter->event_stage[i] = (unsigned char)stage;
    sorter->event_count = i + 1;
    cudaEventRecord(sorter->events[i], sorter->stream);
}

static cudaError_t take_times(struct gs_device_sorter *sorter, struct gs_device_stats *stats)
{
    cudaError_t error = cudaStreamSynchronize(sorter->stream);
    for (unsigned i = 1; i < sorter->event_count && error == cudaSuccess; i++) {
        float ms = 0;
        error = cudaEventElapsedTime(&ms, sorter->events[i - 1], sorter->events[i]);
        unsigned stage = sorter->event_stage[i];
        if (stats->end_ms[stage] <= 0)
            stats->begin_ms[stage] = stats->total_ms;
        stats->total_ms += ms;
        stats->end_ms[stage] = stats->total_ms;
        stats->ms[stage] += ms;
    }
    return error;
}

/* Wait until the device has written the report asked for last. */
static cudaError_t await_report(struct gs_device_sorter *sorter, struct gs_gpu_report *report)
{
    const uint32_t *sequence = &sorter->work.report->sequence;
    cudaError_t error = cudaSuccess;
    bool idle = false;
    unsigned spins = 0;
    while (__atomic_load_n(sequence, __ATOMIC_ACQUIRE) != sorter->sequence) {
        if (idle) /* the stream is done, and still no report */
            return cudaErrorUnknown;
        if (++spins % 4096 != 0)
            continue;
        error = cudaStreamQuery(sorter->stream);
        if (error != cudaSuccess && error != cudaErrorNotReady)
            return error;
        idle =
            error == cudaSuccess && __atomic_load_n(sequence, __ATOMIC_ACQUIRE) != sorter->sequence;
    }
    *report = *sorter->work.report;
    return cudaSuccess;
}

/* Queue the end of a level's plan, and the level's report. */
static cudaError_t plan_level(struct gs_device_sorter *sorter, unsigned next_level)
{
    sorter->sequence++;
    return gs_plan_level_gpu(&sorter->work, next_level, sorter->sequence, sorter->stream);
}

/* Sort the bins that have been listed so far, and clear the lists. Bins that a level left in
 * `other` are moved to `keys` on the way. */
static cudaError_t sort_listed(struct gs_device_sorter *sorter, gs_key *keys, const gs_key *other,
                               const struct gs_gpu_report *report, struct gs_device_stats *stats)
{
    const struct gs_gpu_work *work = &sorter->work;
    stats->small_jobs += report->small_jobs;
    stats->medium_jobs += report->medium_jobs;
    stats->fills += report->fills;
    cudaError_t error = gs_sort_bins_gpu(work, keys, other, report->small_jobs, report->medium_jobs,
                                         sorter->stream);
    if (error == cudaSuccess)
        error = gs_fill_bins_gpu(work, keys, report->fills, sorter->stream);
    return error;
}

static cudaError_t clear_lists(struct gs_device_sorter *sorter)
{
    struct gs_gpu_state *state = sorter->work.state;
    return cudaMemsetAsync(&state->small_jobs, 0, 3 * sizeof state->small_jobs, sorter->stream);
}

/* Small jobs are done: take them off the list, should other work be left. */
static cudaError_t skip_small_jobs(struct gs_device_sorter *sorter, struct gs_gpu_report *report,
                                   struct gs_device_stats *stats)
{
    struct gs_gpu_state *state = sorter->work.state;
    stats->small_jobs += report->small_jobs;
    report->small_jobs = 0;
    if (report->slots == 0)
        return cudaSuccess;
    return cudaMemsetAsync(&state->small_jobs, 0, sizeof state->small_jobs, sorter->stream);
}

/* Level 1 from its counts on, then further levels, then the bins. */
static enum gs_status sort_counted(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                   uint64_t n, uint32_t bins, struct gs_device_stats *stats,
                                   struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_gpu_work *work = &sorter->work;
    const unsigned processors = sorter->processors;
    cudaStream_t stream = sorter->stream;
    struct gs_gpu_report report;
    unsigned level = 1;
    memset(&report, 0, sizeof report);
    choose_jobs(&sorter->work, n);
    GS_CUDA_TRY(gs_plan_bins_gpu(work, ++sorter->sequence, stream));
    mark(sorter, GS_DEVICE_PREFIX_SUM);
    GS_CUDA_TRY(gs_scatter_bins_gpu(work, keys, other, n, bins, processors, stream));
    mark(sorter, GS_DEVICE_SCATTER);
    if (n <=
        ONE_LEVEL_KEYS) { /* most bins are small jobs by now: they need not wait for the host */
        GS_CUDA_TRY(gs_sort_listed_gpu(work, keys, other, 2 * bins, stream));
        mark(sorter, GS_DEVICE_SORT_BINS);
    }
    GS_CUDA_TRY(await_report(sorter, &report));
    if (n <= ONE_LEVEL_KEYS)
        GS_CUDA_TRY(skip_small_jobs(sorter, &report, stats));

    /* Further levels: slots by their digits, to and fro. */
    while (report.slots > 0) {
        level++;
        gs_key *from = level % 2 == 0 ? other : keys;
        gs_key *to = level % 2 == 0 ? keys : other;
        uint64_t jobs = level_jobs(work, sorter->capacity);
        if (report.small_jobs + 2ULL * report.digits > 2 * jobs || report.fills > jobs) {
            GS_CUDA_TRY(sort_listed(sorter, keys, other, &report, stats));
            GS_CUDA_TRY(clear_lists(sorter));
            mark(sorter, GS_DEVICE_SORT_BINS);
        }
        if (level > 2) {
            GS_CUDA_TRY(gs_find_bounds_gpu(work, level, from, report.slots, report.tiles, stream));
            GS_CUDA_TRY(plan_level(sorter, level));
            GS_CUDA_TRY(await_report(sorter, &report));
            if (report.tiles == 0) /* all of one value each */
                break;
        }
        if (level > 2 || report.repeats)
            GS_CUDA_TRY(gs_find_heavy_gpu(work, level, from, report.slots, stream));
        GS_CUDA_TRY(cudaMemsetAsync(work->counters, 0,
                                    GS_GPU_PARTS * report.digits * sizeof *work->counters, stream));
        GS_CUDA_TRY(gs_count_digits_gpu(work, level, from, report.slots, report.tiles, stream));
        mark(sorter, GS_DEVICE_COUNT_DIGITS);
        GS_CUDA_TRY(gs_plan_digits_gpu(work, level, report.slots, stream));
        GS_CUDA_TRY(plan_level(sorter, level + 1));
        mark(sorter, GS_DEVICE_PREFIX_SUM);
        GS_CUDA_TRY(
            gs_scatter_digits_gpu(work, level, from, to, n, report.slots, report.tiles, stream));
        mark(sorter, GS_DEVICE_SCATTER_DIGITS);
        GS_CUDA_TRY(await_report(sorter, &report));
    }
    if (report.outcome == GS_GPU_REVERSED)
        GS_CUDA_TRY(gs_reverse_gpu(keys, n, processors, stream));
    GS_CUDA_TRY(sort_listed(sorter, keys, other, &report, stats));
    mark(sorter, GS_DEVICE_SORT_BINS);
    stats->levels = level;
    stats->bins = report.bins;
    stats->outcome = (enum gs_gpu_outcome)report.outcome;
    if (sorter->timed)
        GS_CUDA_TRY(take_times(sorter, stats));
cleanup:
    return st;
}

enum gs_status gs_device_sort(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                              uint64_t n, struct gs_device_stats *stats, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_gpu_work *work = &sorter->work;
    const unsigned processors = sorter->processors;
    cudaStream_t stream = sorter->stream;
    struct gs_device_stats ignored = {0};
    stats = stats != NULL ? stats : &ignored;
    memset(stats, 0, sizeof *stats);
    sorter->event_count = 0;
    if (n > sorter->capacity)
        return gs_fail(err, GS_ERR_INTERNAL, 0, "device sort of more keys than its capacity");

    mark(sorter, GS_DEVICE_SELECT_SAMPLES);
    choose_jobs(&sorter->work, n);
    if (n <= sorter->few_keys) {
        GS_CUDA_TRY(gs_sort_few_gpu(keys, other, (uint32_t)n, stream));
        mark(sorter, GS_DEVICE_SORT_BINS);
        goto finish;
    }

    /* Level 1: by splitters, from keys to other. */
    const uint32_t bins = gs_device_sort_bins(n);
    const uint32_t samples = choose_samples(n, bins);
    GS_CUDA_TRY(gs_select_samples_gpu(work, keys, n, samples, stream));
    mark(sorter, GS_DEVICE_SELECT_SAMPLES);
    GS_CUDA_TRY(gs_sort_few_gpu(work->samples, work->samples + samples, samples, stream));
    GS_CUDA_TRY(gs_choose_splitters_gpu(work, samples, bins, stream));
    mark(sorter, GS_DEVICE_SORT_SAMPLES);
    GS_CUDA_TRY(gs_count_bins_gpu(work, keys, n, bins, processors, stream));
    mark(sorter, GS_DEVICE_COUNT_BINS);
    return sort_counted(sorter, keys, other, n, bins, stats, err);
finish:
    if (sorter->timed)
        GS_CUDA_TRY(take_times(sorter, stats));
cleanup:
    return st;
}

enum gs_status gs_device_sort_counted(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                      uint64_t n, uint32_t bins, struct gs_device_stats *stats,
                                      struct gs_error *err)
{
    memset(stats, 0, sizeof *stats);
    sorter->event_count = 0;
    mark(sorter, GS_DEVICE_COUNT_BINS);
    return sort_counted(sorter, keys, other, n, bins, stats, err);
}
