/* sort_pages.c -- the order of those levels of the GPU sample sort that need no count.
 * SPDX-License-Identifier: MIT
 *
 * Only the scatter of such a level finds out how many slots, tiles and jobs there are, and the
 * device then waits for the host, unless it can count digits meanwhile. That is little compared to
 * the time of so many keys.
 */
#include "sort/device/pages/sort_pages.h"
#include "sort/device/device_levels.h"
#include "sort/device/device_sizes.h"
#include "sort/device/gpu_call.h"
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/device/pages/page_launchers.h"

/* Equality bins that may be added to the bins wanted. They take no pages, but a word or two each of
 * shared memory, of which two blocks of the scatter need almost all. */
#define EQUALITY_BINS 64

uint64_t gs_device_split_keys(const struct gs_gpu_work *work, uint64_t n, uint32_t bins)
{
    const uint64_t keys = n / (bins < GS_GPU_SPLIT_BINS ? bins : GS_GPU_SPLIT_BINS);
    uint64_t digits = 1;
    while (digits * digits * work->sub_bin_keys < keys)
        digits++;
    return keys / digits + 1;
}

/* Tell whether slots may be split once more: whether the keys are neither nearly in order nor
 * nearly in reverse. Waits for the sample. */
static cudaError_t look_disordered(const struct gs_device_sorter *sorter, uint32_t samples,
                                   bool *disordered)
{
    uint32_t descents[GS_GPU_SAMPLE_BLOCKS] = {0};
    uint32_t all = 0;
    const uint32_t blocks = (samples + GS_GPU_SAMPLE_BLOCK - 1) / GS_GPU_SAMPLE_BLOCK;
    cudaError_t error =
        cudaMemcpyAsync(descents, sorter->work.tables->descents, blocks * sizeof *descents,
                        cudaMemcpyDeviceToHost, sorter->stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(sorter->stream);
    for (uint32_t i = 0; i < blocks; i++)
        all += descents[i];
    const uint32_t few = samples / GS_GPU_ORDERED_SHARE;
    *disordered = all >= few && all <= samples - few;
    return error;
}

/* Level 1 without a count. *done is false if the device finds that these keys do not suit it, or if
 * a bin was too large: `keys` are as they were then. Otherwise the bins are slots of level 2, or
 * with `split` of level 1, to be split first. */
static enum gs_status scatter_pages(struct gs_device_sorter *sorter, const gs_key *keys,
                                    gs_key *other, uint64_t n, uint32_t bins, bool split,
                                    enum gs_device_ahead ahead, struct gs_gpu_report *report,
                                    bool *done, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_gpu_work *work = &sorter->work;
    struct gs_gpu_pages *pages = &work->pages;
    cudaStream_t stream = sorter->stream;
    *pages = sorter->room.bin_pages;
    pages->whole = (uint32_t)(n / GS_GPU_PAGE_KEYS);
    pages->most = GS_GPU_PAGES_FACTOR * (pages->whole / bins + 1);
    const uint32_t most = bins + (bins < EQUALITY_BINS ? bins : EQUALITY_BINS);
    GS_CUDA_TRY(gs_begin_pages_gpu(work, most, stream));
    GS_CUDA_TRY(gs_scatter_pages_gpu(work, gs_device_source(sorter, keys), other, n, bins, most,
                                     sorter->processors, stream));
#if GS_BITS > 32
    GS_CUDA_TRY(gs_bound_ends_gpu(work, other, n, sorter->processors, stream));
#endif
    if (split)
        work->sub_bin_keys = (uint32_t)gs_device_split_keys(work, n, bins);
    GS_CUDA_TRY(gs_plan_pages_gpu(work, n, split ? 1 : 2, ++sorter->sequence, stream));
    gs_device_choose_jobs(work, n);
    if (ahead == GS_DEVICE_COUNTS) {
        /* Meanwhile the host hears of the slots. */
        const uint64_t tiles = n / GS_GPU_TILE_KEYS + most;
        GS_CUDA_TRY(gs_count_digits_gpu(work, 2, other, 0, (uint32_t)tiles, GS_GPU_LINEAR, stream));
    }
    GS_CUDA_TRY(gs_device_await_report(sorter, report));
    *done = report->outcome == GS_GPU_UNSORTED;
    if (!*done)
        GS_CUDA_TRY(cudaMemsetAsync(&work->state->outcome, 0, sizeof work->state->outcome, stream));
cleanup:
    return st;
}

/* Count the values of all keys, and write the runs. *done is false if there are too many values:
 * `keys` are as they were then. */
static enum gs_status count_all_values(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                       uint64_t n, struct gs_gpu_report *report, bool *done,
                                       struct gs_error *err)
{
    enum gs_status st = GS_OK;
    GS_CUDA_TRY(gs_device_copy_source(sorter, keys, n));
    report->slots = 1;
    report->tiles = (uint32_t)((n + GS_GPU_TILE_KEYS - 1) / GS_GPU_TILE_KEYS);
    GS_CUDA_TRY(gs_device_count_values(sorter, 1, keys, other, report));
    GS_CUDA_TRY(gs_device_await_report(sorter, report));
    *done = report->tiles == 0;
    report->slots = 0;
cleanup:
    return st;
}

enum gs_status gs_device_sort_pages(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                    uint64_t n, bool may_swap, struct gs_device_stats *stats,
                                    struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_gpu_work *work = &sorter->work;
    struct gs_gpu_report report = {0};
    bool done = false;
    uint32_t tells = 0; /* of 32-bit keys, scatter_pages finds out */
    enum gs_device_ahead ahead = GS_DEVICE_NOTHING;
    const uint32_t bins = gs_device_sort_bins(n);
    const uint32_t most = gs_device_most_bins(n, bins);
    const uint32_t samples = gs_device_samples(n, bins);
    bool split = GS_BITS == 32 && n >= sorter->room.split_keys;
    const gs_key *source = gs_device_source(sorter, keys);
    GS_CUDA_TRY(gs_select_samples_gpu(work, source, n, samples, sorter->stream));
    if (split && !sorter->room.split_ordered)
        GS_CUDA_TRY(look_disordered(sorter, samples, &split));
    const uint32_t first_bins = split && bins > GS_GPU_SPLIT_BINS ? GS_GPU_SPLIT_BINS : bins;
    GS_CUDA_TRY(gs_device_choose_splitters(sorter, n, samples, bins, most, first_bins, true));
    if (GS_BITS > 32) { /* a count, if wanted, need not wait for the host */
        GS_CUDA_TRY(gs_count_bins_gpu(work, source, n, most, sorter->processors, sorter->stream));
        GS_CUDA_TRY(gs_device_await_sample(sorter, &tells));
    }
    if (GS_BITS > 32 && tells == 0)
        ahead = GS_DEVICE_COUNTS;
    if ((tells & GS_GPU_SAMPLE_COUNT) == 0)
        GS_TRY(
            scatter_pages(sorter, keys, other, n, first_bins, split, ahead, &report, &done, err));
    if (done)
        return gs_device_sort_paged(sorter, keys, other, n, split, may_swap, ahead, &report, stats,
                                    err);
    if (GS_BITS == 32 && sorter->source != NULL &&
        may_swap) { /* the result is wanted where pages would have it */
        gs_key *const keys_now = other;
        other = keys;
        keys = keys_now;
        stats->in_other = true;
    }
    /* If most bins have one value, they need not be moved or sorted: counting values gains
     * nothing. */
    if (GS_BITS == 32 && report.outcome == GS_GPU_UNCOUNTED && report.few_all &&
        report.bins > bins / 2)
        GS_TRY(count_all_values(sorter, keys, other, n, &report, &done, err));
    if (done)
        return gs_device_sort_slots(sorter, keys, other, n, 1, GS_DEVICE_NOTHING, &report, stats,
                                    err);
    if ((tells & GS_GPU_SAMPLE_COUNT) == 0) /* else it is */
        GS_CUDA_TRY(gs_count_bins_gpu(work, source, n, most, sorter->processors, sorter->stream));
    const uint32_t known = report.bins > 0 ? report.bins : 2 * most;
    st = gs_device_sort_from_counts(sorter, keys, other, n, most, known, stats, err);
cleanup:
    return st;
}
