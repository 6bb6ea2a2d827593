/* merge_ordered_runs.c -- sort input that is a few ordered runs: cut at the splitters, merge.
 * SPDX-License-Identifier: MIT
 *
 * What is merged is a copy of the keys between two places in each run. Each copy is checked to be
 * in order and within the bounds of its bin. So the bins are in order whatever somebody writes to
 * the input meanwhile; such a change is reported.
 */
#include "sort/bin/cache_sort.h"
#include "sort/keys/order.h"
#include "sort/ways/ordered_runs.h"
#include "sort/keys/fingerprint.h"
#include "sort/cpu/pieces.h"
#include "sort/run/thread_work.h"
#include "sort/cpu/sort_bins.h"

#include "common/clock.h"
#include "common/memory/memory.h"

#include <stdlib.h>

/* All parts of all runs. */
struct parts {
    struct gs_run *run;
    const struct gs_ordered_runs *runs;
    uint64_t *starts; /* [run][bins + 1]: the parts' starts, counted in ascending order of keys */
    uint32_t stride;
    uint64_t room; /* keys in each of a thread's two buffers */
};

/* Key number i of an ordered run, in ascending order. */
static gs_key key_of(const struct gs_tiles *tiles, const struct gs_ordered_run *run, uint64_t i)
{
    return gs_tiles_key(tiles, run->first + (run->direction < 0 ? run->count - 1 - i : i));
}

/* The number of the first key above bound, from `from` on. Gallops, since it is likely near. */
static uint64_t find_above(const struct gs_tiles *tiles, const struct gs_ordered_run *run,
                           uint64_t from, gs_key bound)
{
    uint64_t step = 1;
    while (step <= run->count - from && key_of(tiles, run, from + step - 1) <= bound)
        step *= 2;
    uint64_t low = from + step / 2; /* all keys before are <= bound */
    uint64_t high = step <= run->count - from ? from + step - 1 : run->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (key_of(tiles, run, middle) <= bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Cut all runs at the splitters. */
static void cut_runs(struct parts *parts)
{
    struct gs_run *run = parts->run;
    uint32_t bins = gs_run_bins(run);
#pragma omp parallel for num_threads(run->plan.threads) schedule(dynamic)
    for (size_t i = 0; i < parts->runs->count; i++) {
        const struct gs_ordered_run *ordered = &parts->runs->list[i];
        uint64_t *starts = parts->starts + i * parts->stride;
        starts[0] = 0;
        for (uint32_t bin = 0; bin + 1 < bins; bin++)
            starts[bin + 1] = find_above(&run->tiles, ordered, starts[bin],
                                         gs_splitters_high(&run->splitters, bin));
        starts[bins] = ordered->count;
    }
}

/* Total the bins; false if merging is not the way to sort them. */
static bool count_parts(struct parts *parts)
{
    struct gs_run *run = parts->run;
    uint64_t equal = 0;
    uint64_t largest = GS_TILE_KEYS;
    for (uint32_t bin = 0; bin < gs_run_bins(run); bin++) {
        run->counts[bin] = 0;
        for (size_t i = 0; i < parts->runs->count; i++) {
            const uint64_t *starts = parts->starts + i * parts->stride + bin;
            run->counts[bin] += starts[1] - starts[0];
        }
        if (gs_splitters_equal(&run->splitters, bin))
            equal += run->counts[bin];
        else if (run->counts[bin] > largest)
            largest = run->counts[bin];
    }
    gs_prefix_sum_scan(run->counts, run->offsets, gs_run_bins(run), run->options->reverse);
    parts->room = largest + GS_MERGE_RUNS_MAX * GS_MERGE_GAP;
    return largest <= GS_CACHE_SORT_CAPACITY && equal <= run->plan.count / 2;
}

/* Copy `count` keys of an ordered run from number `first` on, ascending. False: they are out of
 * order, or outside this bin's bounds. */
static bool copy_part(const struct parts *parts, const struct gs_ordered_run *ordered, uint32_t bin,
                      uint64_t first, uint64_t count, gs_key *to)
{
    const struct gs_run *run = parts->run;
    bool descends = ordered->direction < 0;
    uint64_t skip = descends ? ordered->count - first - count : first;
    gs_tiles_copy(&run->tiles, ordered->first + skip, count, to);
    if (descends)
        gs_order_reverse(to, count);
    return gs_order_ascending(to, count) && to[0] >= gs_splitters_low(&run->splitters, bin) &&
           to[count - 1] <= gs_splitters_high(&run->splitters, bin);
}

/* Copy the parts of a bin together and merge them; NULL: the input has changed. */
static gs_key *merge_bin(const struct parts *parts, uint32_t bin, gs_key *keys,
                         uint64_t *fingerprint)
{
    size_t counts[GS_MERGE_RUNS_MAX];
    size_t found = 0;
    gs_key *to = keys;
    for (size_t i = 0; i < parts->runs->count; i++) {
        const uint64_t *starts = parts->starts + i * parts->stride + bin;
        uint64_t count = starts[1] - starts[0];
        if (count == 0)
            continue;
        if (!copy_part(parts, &parts->runs->list[i], bin, starts[0], count, to))
            return NULL;
        if (parts->run->options->verify)
            *fingerprint += gs_fingerprint(to, count);
        counts[found++] = count;
        to += count + GS_MERGE_GAP;
    }
    return found == 0 ? keys
                      : gs_merge_runs(gs_merge_method(), keys, keys + parts->room, counts, found);
}

/* Are all keys of an equality bin still that key? */
static bool check_equal(const struct parts *parts, uint32_t bin, gs_key *keys,
                        uint64_t *fingerprint)
{
    for (size_t i = 0; i < parts->runs->count; i++) {
        const uint64_t *starts = parts->starts + i * parts->stride + bin;
        for (uint64_t first = starts[0]; first < starts[1]; first += GS_TILE_KEYS) {
            uint64_t left = starts[1] - first;
            uint64_t here = left < GS_TILE_KEYS ? left : GS_TILE_KEYS;
            if (!copy_part(parts, &parts->runs->list[i], bin, first, here, keys))
                return false;
            if (parts->run->options->verify)
                *fingerprint += gs_fingerprint(keys, here);
        }
    }
    return true;
}

/* Merge bin number `number` of the output and hand it out. */
static enum gs_status finish_bin(const struct parts *parts, uint64_t number, gs_key *keys,
                                 uint64_t *fingerprint, struct gs_thread_work *work)
{
    struct gs_run *run = parts->run;
    uint32_t bin = gs_run_bin_at(run, (uint32_t)number);
    uint64_t count = run->counts[bin];
    uint64_t start = gs_now_ns();
    struct gs_piece piece = {.low = gs_splitters_low(&run->splitters, bin),
                             .high = gs_splitters_high(&run->splitters, bin),
                             .count = count,
                             .offset = run->offsets[bin]};
    bool equal = piece.low == piece.high;
    gs_key *sorted = equal ? (check_equal(parts, bin, keys, fingerprint) ? keys : NULL)
                           : merge_bin(parts, bin, keys, fingerprint);
    if (sorted == NULL)
        return gs_work_fail_changed(run);
    work->keys_in += count;
    if (equal) {
        work->sort_ns += gs_now_ns() - start;
        return gs_finish_piece_cpu(run, &piece, number, keys, keys, work);
    }
    uint64_t kept = gs_emit_shape(&run->emitter, sorted, count);
    work->sort_ns += gs_now_ns() - start;
    return gs_work_emit(&run->emitter, number, sorted, kept, piece.offset, work);
}

/* Merge all bins. */
static void merge_bins(const struct parts *parts, gs_key *buffers)
{
    struct gs_run *run = parts->run;
    uint64_t fingerprint = 0;
    atomic_uint_fast64_t next = 0;
#pragma omp parallel num_threads(run->plan.threads) reduction(+ : fingerprint)
    {
        struct gs_thread_work work = {0};
        gs_key *keys = buffers + gs_cpu_thread() * 2 * parts->room;
        for (uint64_t number; (number = atomic_fetch_add(&next, 1)) < gs_run_bins(run);) {
            uint32_t bin = gs_run_bin_at(run, (uint32_t)number);
            if (finish_bin(parts, number, keys, &fingerprint, &work) != GS_OK)
                break;
            atomic_fetch_add_explicit(&run->progress->done, run->counts[bin], memory_order_relaxed);
        }
        gs_work_account(run, &work, run->plan.threads);
    }
    run->fingerprint += fingerprint;
}

enum gs_status gs_ordered_runs_merge(struct gs_run *run, const struct gs_ordered_runs *runs,
                                     bool *merged, struct gs_error *err)
{
    struct parts parts = {.run = run, .runs = runs, .stride = gs_run_bins(run) + 1};
    gs_key *buffers = NULL;
    *merged = false;
    parts.starts = malloc(runs->count * parts.stride * sizeof *parts.starts);
    if (parts.starts == NULL)
        return GS_OK; /* the caller falls back to another method */
    uint64_t start = gs_now_ns();
    cut_runs(&parts);
    bool wanted = count_parts(&parts);
    gs_run_account(run, GS_STAGE_PREFIX_SUM, GS_DEVICE_CPU, gs_now_ns() - start, 0, 0);
    size_t bytes = run->plan.threads * 2 * parts.room * sizeof *buffers;
    if (wanted && (buffers = gs_pages_alloc(bytes)) != NULL) {
        gs_run_phase(run, GS_STAGE_SORT_BINS, run->plan.count);
        merge_bins(&parts, buffers);
        gs_pages_free(buffers, bytes);
        *merged = true;
    }
    free(parts.starts);
    return *merged ? gs_emit_result(&run->emitter, err) : GS_OK;
}
