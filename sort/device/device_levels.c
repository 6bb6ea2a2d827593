/* device_levels.c -- the levels of the sort of keys in device memory: the order of their stages.
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/device_levels.h"
#include "sort/device/device_queue.h"
#include "sort/device/device_sizes.h"
#include "sort/device/device_times.h"
#include "sort/device/gpu_call.h"
#include "sort/device/kernels/gpu_launchers.h"

#include <string.h>

/* Where the slots of a level lie: level 1 finds all keys in `keys`, and each level moves them to
 * the other buffer. */
static gs_key *slots_of(unsigned level, gs_key *keys, gs_key *other)
{
    return level % 2 == 0 ? other : keys;
}

cudaError_t gs_device_copy_source(const struct gs_device_sorter *sorter, gs_key *keys, uint64_t n)
{
    const gs_key *source = gs_device_source(sorter, keys);
    return source == keys ? cudaSuccess
                          : cudaMemcpyAsync(keys, source, n * sizeof *keys,
                                            cudaMemcpyDeviceToDevice, sorter->stream);
}

cudaError_t gs_device_choose_splitters(struct gs_device_sorter *sorter, uint64_t n,
                                       uint32_t samples, uint32_t bins, uint32_t most,
                                       uint32_t first_bins, bool pages)
{
    const struct gs_gpu_work *work = &sorter->work;
    cudaError_t error =
        gs_sort_few_gpu(work->samples, work->samples + samples, samples, sorter->stream);
    if (error == cudaSuccess)
        error = gs_choose_splitters_gpu(work, n, samples, bins, most, first_bins,
                                        pages ? sorter->sequence + 1 : 0, sorter->stream);
    return error;
}

/* Wait until the device has written `number` to a word of the report, above its `bits` lowest. */
static cudaError_t await(const struct gs_device_sorter *sorter, const uint32_t *word, unsigned bits,
                         uint32_t number)
{
    cudaError_t error = cudaSuccess;
    bool idle = false;
    unsigned spins = 0;
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) >> bits != number) {
        if (idle) /* the stream is done, but there is no report */
            return cudaErrorUnknown;
        if (++spins % 4096 != 0)
            continue;
        error = cudaStreamQuery(sorter->stream);
        if (error == cudaErrorNotReady)
            (void)cudaGetLastError(); /* not an error, but the next launch would report it */
        else if (error != cudaSuccess)
            return error;
        idle = error == cudaSuccess && __atomic_load_n(word, __ATOMIC_ACQUIRE) >> bits != number;
    }
    return cudaSuccess;
}

cudaError_t gs_device_await_report(struct gs_device_sorter *sorter, struct gs_gpu_report *report)
{
    const cudaError_t error = await(sorter, &sorter->work.report->sequence, 0, sorter->sequence);
    *report = *sorter->work.report;
    return error;
}

cudaError_t gs_device_await_sample(const struct gs_device_sorter *sorter, uint32_t *tells)
{
    const uint32_t *word = &sorter->work.report->sample;
    const cudaError_t error = await(sorter, word, 2, (sorter->sequence + 1) & (UINT32_MAX >> 2));
    *tells = *word & (GS_GPU_SAMPLE_COUNT | GS_GPU_SAMPLE_UNEVEN);
    return error;
}

cudaError_t gs_device_plan_level(struct gs_device_sorter *sorter, unsigned next_level)
{
    sorter->sequence++;
    return gs_plan_level_gpu(&sorter->work, next_level, sorter->sequence, sorter->stream);
}

cudaError_t gs_device_clear_counters(struct gs_device_sorter *sorter,
                                     const struct gs_gpu_report *report)
{
    unsigned long long *counters = sorter->work.counters;
    return cudaMemsetAsync(counters, 0, GS_GPU_PARTS * report->digits * sizeof *counters,
                           sorter->stream);
}

/* Sort the bins listed so far; the caller clears the lists. Bins that a level left in `other` move
 * to `keys` on the way. */
static cudaError_t sort_listed(struct gs_device_sorter *sorter, gs_key *keys, const gs_key *other,
                               const struct gs_gpu_report *report, struct gs_device_stats *stats)
{
    const struct gs_gpu_work *work = &sorter->work;
    stats->small_jobs += report->small_jobs;
    stats->medium_jobs += report->medium_jobs;
    stats->fills += report->fills;
    stats->narrow_jobs += report->narrow_jobs;
    cudaError_t error = cudaSuccess;
    if (report->narrow_jobs > 0)
        error = sorter->room.sort_narrow(work, keys, other, report->narrow_jobs, sorter->stream);
    return error != cudaSuccess
               ? error
               : gs_sort_bins_gpu(work, keys, other, report->small_jobs, report->medium_jobs,
                                  report->fills, report->uneven != 0, sorter->stream);
}

static cudaError_t clear_lists(struct gs_device_sorter *sorter)
{
    struct gs_gpu_state *state = sorter->work.state;
    return cudaMemsetAsync(&state->listed, 0, sizeof state->listed, sorter->stream);
}

/* Small jobs and runs have been queued without waiting for the report. Queue the medium jobs as
 * well, so that nothing listed is left. */
static cudaError_t sort_rest(struct gs_device_sorter *sorter, gs_key *keys, const gs_key *other,
                             struct gs_gpu_report *report, struct gs_device_stats *stats)
{
    stats->small_jobs += report->small_jobs;
    stats->medium_jobs += report->medium_jobs;
    stats->fills += report->fills;
    cudaError_t error =
        gs_sort_medium_gpu(&sorter->work, keys, other, report->medium_jobs, sorter->stream);
    report->small_jobs = report->medium_jobs = report->fills = 0;
    return error == cudaSuccess && report->slots > 0 ? clear_lists(sorter) : error;
}

cudaError_t gs_device_count_values(struct gs_device_sorter *sorter, unsigned level, gs_key *keys,
                                   gs_key *other, const struct gs_gpu_report *report)
{
    const struct gs_gpu_work *work = &sorter->work;
    const uint32_t slots = report->slots;
    cudaError_t error = gs_count_values_gpu(work, level, keys, other, slots, report->tiles,
                                            sorter->processors, sorter->stream);
    if (error == cudaSuccess && level > 2)
        error = gs_find_bounds_gpu(work, level, slots_of(level, keys, other), slots, report->tiles,
                                   sorter->stream);
    if (error == cudaSuccess)
        error = gs_device_plan_level(sorter, level);
    if (error == cudaSuccess)
        error = gs_write_values_gpu(work, level, keys, other, slots, report->tiles,
                                    sorter->processors, sorter->stream);
    return error;
}

/* Get the next level's slots ready to be counted. `again`: they are those that rooms did not suit;
 * these are ready, as their bounds are known and their keys in pages. *done: no key is left that
 * must be moved. */
static enum gs_status prepare_slots(struct gs_device_sorter *sorter, unsigned level,
                                    enum gs_gpu_digits digits, bool again, gs_key *keys,
                                    gs_key *other, struct gs_gpu_report *report, bool *done,
                                    struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_gpu_work *work = &sorter->work;
    const gs_key *from = slots_of(level, keys, other);
    cudaStream_t stream = sorter->stream;
    *done = false;
    if (GS_BITS == 32 && !again && (level > 2 || report->few)) {
        GS_CUDA_TRY(gs_device_count_values(sorter, level, keys, other, report));
        gs_device_mark(sorter, GS_DEVICE_SORT_BINS);
        GS_CUDA_TRY(gs_device_await_report(sorter, report));
        *done = report->tiles == 0; /* each slot has been written, or has one value */
    }
    if (GS_BITS > 32)
        *done = report->tiles == 0;
    if (*done)
        return GS_OK;
    if (digits != GS_GPU_LINEAR)
        GS_CUDA_TRY(gs_map_digits_gpu(work, level, from, report->slots, digits, stream));
    if (GS_BITS == 32 && (level > 2 || report->repeats))
        GS_CUDA_TRY(gs_find_heavy_gpu(work, level, from, report->slots, digits, stream));
    if (level > 2)
        GS_CUDA_TRY(gs_device_clear_counters(sorter, report));
cleanup:
    return st;
}

enum gs_gpu_digits gs_device_choose_digits(unsigned level, const struct gs_gpu_report *report)
{
    return gs_gpu_kind(level, report->uneven, report->skewed);
}

enum gs_status gs_device_sort_slots(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                    uint64_t most, unsigned level, enum gs_device_ahead ahead,
                                    struct gs_gpu_report *report, struct gs_device_stats *stats,
                                    struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_gpu_work *work = &sorter->work;
    cudaStream_t stream = sorter->stream;
    const bool rooms = ahead == GS_DEVICE_ROOMS;
    bool done;
    while (report->slots > 0) {
        level++;
        const bool again = rooms && level == 3;
        gs_key *from = slots_of(level, keys, other);
        gs_key *to = slots_of(level + 1, keys, other);
        const uint64_t jobs = sorter->level_jobs;
        /* Sort what is listed if this level might overflow the lists, or overwrite rooms. While
         * slots are in pages, no bin may be sorted: both lists have room for two levels. */
        if (!again && (report->small_jobs + 2ULL * report->digits > 2 * jobs ||
                       report->fills > jobs || (rooms && level == 5))) {
            GS_CUDA_TRY(sort_listed(sorter, keys, other, report, stats));
            GS_CUDA_TRY(clear_lists(sorter));
            gs_device_mark(sorter, GS_DEVICE_SORT_BINS);
        }
        const enum gs_gpu_digits digits = gs_device_choose_digits(level, report);
        GS_TRY(prepare_slots(sorter, level, digits, again, keys, other, report, &done, err));
        if (done)
            break;
        if (ahead != GS_DEVICE_COUNTS || level > 2)
            GS_CUDA_TRY(gs_count_digits_gpu(work, level, from, report->slots, report->tiles, digits,
                                            stream));
        gs_device_mark(sorter, GS_DEVICE_COUNT_DIGITS);
        GS_CUDA_TRY(gs_plan_digits_gpu(work, level, report->slots, stream));
        GS_CUDA_TRY(gs_device_plan_level(sorter, level + 1));
        gs_device_mark(sorter, GS_DEVICE_PREFIX_SUM);
        GS_CUDA_TRY(gs_scatter_digits_gpu(work, level, from, to, most, report->slots, report->tiles,
                                          digits, stream));
        gs_device_mark(sorter, GS_DEVICE_SCATTER_DIGITS);
        GS_CUDA_TRY(gs_device_await_report(sorter, report));
    }
    GS_CUDA_TRY(sort_listed(sorter, keys, other, report, stats));
    gs_device_mark(sorter, GS_DEVICE_SORT_BINS);
    stats->levels = level;
    stats->uneven = report->uneven != 0;
    if (sorter->timed)
        GS_CUDA_TRY(gs_device_take_times(sorter, stats));
cleanup:
    return st;
}

enum gs_status gs_device_sort_from_counts(struct gs_device_sorter *sorter, gs_key *keys,
                                          gs_key *other, uint64_t n, uint32_t bins, uint32_t most,
                                          struct gs_device_stats *stats, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_gpu_work *work = &sorter->work;
    cudaStream_t stream = sorter->stream;
    struct gs_gpu_report report;
    memset(&report, 0, sizeof report);
    gs_device_choose_jobs(&sorter->work, n);
    GS_CUDA_TRY(gs_plan_bins_gpu(work, ++sorter->sequence, stream));
    gs_device_mark(sorter, GS_DEVICE_PREFIX_SUM);
    GS_CUDA_TRY(gs_scatter_bins_gpu(work, gs_device_source(sorter, keys), other, n, bins, most,
                                    sorter->processors, stream));
    gs_device_mark(sorter, GS_DEVICE_SCATTER);
    if (work->report == NULL) {
        GS_CUDA_TRY(
            gs_device_queue_rest(sorter, gs_device_source(sorter, keys), keys, other, n, most));
        return GS_OK;
    }
    if (n <= GS_GPU_ONE_LEVEL_KEYS) {
        /* Most bins are small jobs by now, which need not wait for the host. */
        GS_CUDA_TRY(gs_sort_listed_gpu(
            work, keys, other, 2 * bins + GS_GPU_ONE_LEVEL_KEYS / GS_GPU_FILL_KEYS, stream));
        gs_device_mark(sorter, GS_DEVICE_SORT_BINS);
    }
    GS_CUDA_TRY(gs_device_await_report(sorter, &report));
    if (n <= GS_GPU_ONE_LEVEL_KEYS)
        GS_CUDA_TRY(sort_rest(sorter, keys, other, &report, stats));
    if (report.outcome == GS_GPU_SORTED || report.outcome == GS_GPU_REVERSED)
        GS_CUDA_TRY(gs_write_ordered_gpu(work, gs_device_source(sorter, keys), keys, n,
                                         sorter->processors, stream));
    return gs_device_sort_slots(sorter, keys, other, n, 1, GS_DEVICE_NOTHING, &report, stats, err);
cleanup:
    return st;
}
