/* merge.c -- merge keys that are in order already, any number of inputs.
 * SPDX-License-Identifier: MIT
 *
 * A thread cuts a segment off all inputs, under a lock, and then works on it alone: copies its
 * parts together, checks the copies for order, merges them in cache and hands them to the emitter.
 * Parts too many for that, or a processor without the vectors, are sorted as a bin is. Each
 * neighbouring pair of keys of an input is looked at in the part of the second: so disorder is
 * never missed, wherever binary search was led by it. Nor is an input that is written to meanwhile:
 * what was copied must lie between the keys that the segment was cut at.
 */
#include "sort/merge.h"
#include "sort/cache_sort.h"
#include "sort/emit.h"
#include "sort/merge_cut.h"
#include "sort/merge_runs.h"
#include "sort/order.h"
#include "sort/params.h"
#include "sort/plan.h"

#include "common/clock.h"
#include "common/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys of a segment: with the scratch array still in the second-level cache, and enough that the
 * searches, some cache misses for each input, cost little. */
#define SEGMENT_KEYS ((uint64_t)1 << 17)

/* Of a thread: 1 GiB in 16 files took 0.43 s with two (Xeon, ext4, in the page cache). */
#define KEYS_PER_SECOND 300e6

struct merge {
    const struct gs_options *options;
    struct gs_options order; /* what the inputs keep: equal keys may be there */
    struct gs_cut cut;       /* guarded by the lock */
    pthread_mutex_t lock;
    size_t span_count;
    struct gs_emitter emitter;
    struct gs_progress *progress;
    struct gs_stats *stats;
    unsigned threads;
    enum gs_merge_method method;
};

/* Keys between the runs that are merged in cache. */
#define GAP_KEYS ((uint64_t)GS_MERGE_RUNS_MAX * GS_MERGE_GAP)

static_assert(SEGMENT_KEYS + GAP_KEYS <= GS_CACHE_SORT_SCRATCH, "scratch is for either method");

/* What one thread owns. */
struct worker {
    struct gs_segment segment;
    gs_key *keys;    /* [cut.room + GAP_KEYS] */
    gs_key *scratch; /* [GS_CACHE_SORT_SCRATCH] */
    uint64_t fingerprint;
    uint64_t sort_ns;
    uint64_t write_ns;
    uint64_t kept;
};

static uint64_t worker_bytes(size_t span_count)
{
    uint64_t room = SEGMENT_KEYS > span_count ? SEGMENT_KEYS : span_count;
    return (room + GAP_KEYS + GS_CACHE_SORT_SCRATCH) * sizeof(gs_key) +
           span_count * sizeof(struct gs_part);
}

static unsigned choose_threads(const struct gs_options *options, size_t span_count)
{
    uint64_t threads = options->threads > 0 ? options->threads : gs_plan_processors();
    uint64_t fit = options->memory_bytes / worker_bytes(span_count);
    if (options->memory_bytes > 0 && threads > fit)
        threads = fit;
    return threads > 0 ? (unsigned)threads : 1;
}

uint64_t gs_merge_memory(const struct gs_options *options, size_t span_count)
{
    return choose_threads(options, span_count) * worker_bytes(span_count);
}

double gs_merge_seconds(const struct gs_options *options, uint64_t count)
{
    return (double)count / (KEYS_PER_SECOND * choose_threads(options, 1));
}

/* Name the first disorder of the first span that has one. */
static enum gs_status name_disorder(const struct merge *merge, struct gs_error *err)
{
    struct gs_options order = merge->order;
    order.threads = merge->threads;
    for (size_t i = 0; i < merge->span_count; i++) {
        const struct gs_span *span = &merge->cut.spans[i];
        uint64_t bad = gs_first_disorder(&order, span->keys, span->count, NULL);
        if (bad < span->count)
            return gs_fail(err, GS_ERR_INPUT, 0, "%s:%" PRIu64 ": disorder: %" PRI_GS_KEY,
                           span->name, bad, span->keys[bad]);
    }
    return gs_fail(err, GS_ERR_INPUT, 0, "an input changed while it was being merged");
}

static void fail(struct merge *merge, enum gs_status status)
{
    /* Which one it is will be found out when all threads are done. */
    struct gs_error error = {.status = status};
    gs_emit_fail(&merge->emitter, &error);
}

/* Are keys from low to high what the segment was cut for? Not where an input was written to since,
 * or is not in order. */
static bool is_within(const struct merge *merge, const struct gs_segment *segment, gs_key low,
                      gs_key high)
{
    gs_key mask = merge->cut.mask;
    gs_key first = mask != 0 ? high ^ mask : low;
    gs_key last = mask != 0 ? low ^ mask : high;
    return first >= segment->floor && last < segment->limit;
}

/* Bring the parts of a segment together, ascending, with a gap behind each. False: they are not in
 * order. */
static bool gather(const struct merge *merge, struct worker *worker, uint64_t gap, gs_key *low,
                   gs_key *high)
{
    gs_key *to = worker->keys;
    *low = GS_KEY_MAX;
    *high = 0;
    for (size_t i = 0; i < worker->segment.part_count; i++) {
        const struct gs_part *part = &worker->segment.parts[i];
        const gs_key *from = merge->cut.spans[part->span].keys + part->first;
        memcpy(to, from, part->count * sizeof *to);
        if (gs_first_disorder(&merge->order, to, part->count, part->first > 0 ? from - 1 : NULL) !=
            part->count)
            return false;
        if (merge->options->verify)
            worker->fingerprint += gs_fingerprint(to, part->count);
        if (merge->options->reverse)
            gs_order_reverse(to, part->count);
        *low = to[0] < *low ? to[0] : *low;
        *high = to[part->count - 1] > *high ? to[part->count - 1] : *high;
        to += part->count + gap;
    }
    return is_within(merge, &worker->segment, *low, *high);
}

static gs_key *merge_parts(const struct merge *merge, struct worker *worker)
{
    const struct gs_segment *segment = &worker->segment;
    size_t counts[GS_MERGE_RUNS_MAX];
    for (size_t i = 0; i < segment->part_count; i++)
        counts[i] = segment->parts[i].count;
    return gs_merge_runs(merge->method, worker->keys, worker->scratch, counts, segment->part_count);
}

/* Merge a segment and hand it out. */
static enum gs_status merge_segment(struct merge *merge, struct worker *worker)
{
    const struct gs_segment *segment = &worker->segment;
    gs_key low, high;
    uint64_t position;
    uint64_t start = gs_now_ns();
    bool merges = merge->method != GS_MERGE_NONE && segment->part_count <= GS_MERGE_RUNS_MAX &&
                  segment->count <= SEGMENT_KEYS;
    if (!gather(merge, worker, merges ? GS_MERGE_GAP : 0, &low, &high)) {
        fail(merge, GS_ERR_INPUT);
        return GS_ERR_INPUT;
    }
    gs_key *sorted = worker->keys;
    if (segment->part_count > 1)
        sorted = merges ? merge_parts(merge, worker)
                        : gs_cache_sort(worker->keys, worker->scratch, segment->count, low, high);
    uint64_t kept = gs_emit_shape(&merge->emitter, sorted, segment->count);
    worker->sort_ns += gs_now_ns() - start;
    enum gs_status st =
        gs_emit_begin(&merge->emitter, segment->index, kept, segment->position, &position);
    if (st != GS_OK)
        return st;
    start = gs_now_ns();
    st = gs_emit_write(&merge->emitter, sorted, kept, position);
    worker->write_ns += gs_now_ns() - start;
    worker->kept += kept;
    gs_emit_end(&merge->emitter, segment->index);
    return st;
}

/* Hand out a run of one key. */
static enum gs_status merge_equal(struct merge *merge, struct worker *worker)
{
    const struct gs_segment *segment = &worker->segment;
    uint64_t position;
    uint64_t kept = merge->options->unique ? 1 : segment->count;
    uint64_t block = kept < SEGMENT_KEYS ? kept : SEGMENT_KEYS;
    if (!is_within(merge, segment, segment->key, segment->key)) {
        fail(merge, GS_ERR_INPUT);
        return GS_ERR_INPUT;
    }
    for (size_t i = 0; i < segment->part_count; i++) {
        const struct gs_part *part = &segment->parts[i];
        const gs_key *from = merge->cut.spans[part->span].keys + part->first;
        if (*from != segment->key || from[part->count - 1] != segment->key ||
            gs_first_disorder(&merge->order, from, part->count,
                              part->first > 0 ? from - 1 : NULL) != part->count) {
            fail(merge, GS_ERR_INPUT);
            return GS_ERR_INPUT;
        }
    }
    for (uint64_t i = 0; i < block; i++)
        worker->keys[i] = segment->key;
    if (merge->options->verify) {
        uint64_t one = gs_fingerprint(&segment->key, 1);
        worker->fingerprint += one * segment->count;
        gs_emit_drop(&merge->emitter, one * (segment->count - kept));
    }
    enum gs_status st =
        gs_emit_begin(&merge->emitter, segment->index, kept, segment->position, &position);
    if (st != GS_OK)
        return st;
    uint64_t start = gs_now_ns();
    for (uint64_t done = 0; done < kept && st == GS_OK; done += block)
        st = gs_emit_write(&merge->emitter, worker->keys, kept - done < block ? kept - done : block,
                           position + done);
    worker->write_ns += gs_now_ns() - start;
    worker->kept += kept;
    gs_emit_end(&merge->emitter, segment->index);
    return st;
}

/* Take segments until none is left or some thread has failed. */
static void work(struct merge *merge, struct worker *worker)
{
    for (;;) {
        pthread_mutex_lock(&merge->lock);
        bool done = gs_cut_done(&merge->cut);
        if (!done)
            gs_cut_next(&merge->cut, &worker->segment);
        pthread_mutex_unlock(&merge->lock);
        if (done)
            return;
        if (worker->segment.count == 0) {
            fail(merge, GS_ERR_INPUT);
            return;
        }
        enum gs_status st =
            worker->segment.equal ? merge_equal(merge, worker) : merge_segment(merge, worker);
        if (st != GS_OK)
            return;
        atomic_fetch_add(&merge->progress->done, worker->segment.count);
    }
}

/* ns of a thread's time; all threads began at begin_ns. */
static void add_row(struct gs_stats *stats, enum gs_stage stage, uint64_t begin_ns, uint64_t ns,
                    uint64_t keys)
{
    struct gs_stage_stats row = {.device = "cpu",
                                 .begin_ns = begin_ns,
                                 .end_ns = gs_now_ns(),
                                 .ns = ns,
                                 .keys = keys,
                                 .bytes = keys * GS_KEY_BYTES};
    gs_stage_add(&stats->stages[stage], &row);
}

/* Run all threads. Returns the fingerprint of what was read. */
static uint64_t run_threads(struct merge *merge, char *memory, uint64_t bytes_each)
{
    uint64_t fingerprint = 0, begin = gs_now_ns();
#pragma omp parallel num_threads(merge->threads) reduction(+ : fingerprint)
    {
        char *own = memory + (size_t)omp_get_thread_num() * bytes_each;
        struct worker worker = {.scratch = (gs_key *)(void *)own};
        worker.keys = worker.scratch + GS_CACHE_SORT_SCRATCH;
        worker.segment.parts = calloc(merge->span_count, sizeof *worker.segment.parts);
        if (worker.segment.parts == NULL)
            fail(merge, GS_ERR_MEMORY);
        else
            work(merge, &worker);
        free(worker.segment.parts);
        fingerprint += worker.fingerprint;
#pragma omp critical(gs_merge_account)
        {
            add_row(merge->stats, GS_STAGE_SORT_BINS, begin, worker.sort_ns / merge->threads, 0);
            add_row(merge->stats, GS_STAGE_WRITE, begin, worker.write_ns / merge->threads,
                    worker.kept);
        }
    }
    return fingerprint;
}

static enum gs_status find_failure(struct merge *merge, struct gs_error *err)
{
    struct gs_error ignored = {.status = GS_OK};
    enum gs_status st = gs_emit_result(&merge->emitter, &ignored);
    if (st == GS_OK || ignored.text[0] != '\0')
        return st == GS_OK ? GS_OK : gs_fail(err, st, 0, "%s", ignored.text);
    if (st == GS_ERR_MEMORY)
        return gs_fail(err, st, 0, "not enough memory for %zu inputs", merge->span_count);
    return name_disorder(merge, err);
}

/* For --stats. */
static const char *name_method(enum gs_merge_method method)
{
    static const char *const names[] = {[GS_MERGE_AVX2] = "AVX2", [GS_MERGE_AVX512] = "AVX-512"};
    return method == GS_MERGE_NONE ? gs_cache_sort_name() : names[method];
}

enum gs_status gs_merge(const struct gs_options *options, const struct gs_span *spans,
                        size_t span_count, struct gs_sink *sink, struct gs_progress *progress,
                        struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st;
    uint64_t start = gs_now_ns();
    struct gs_progress own_progress = {NULL, 0, 0};
    struct merge merge = {.options = options,
                          .order = {.reverse = options->reverse, .threads = 1},
                          .span_count = span_count,
                          .progress = progress != NULL ? progress : &own_progress,
                          .stats = stats,
                          .threads = choose_threads(options, span_count),
                          .method = gs_merge_method()};
    bool has_emitter = false;
    uint64_t bytes_each = 0;
    char *memory = NULL;
    *stats = (struct gs_stats){.engine = "merge",
                               .device = "cpu",
                               .device_text = name_method(merge.method),
                               .order = "none",
                               .threads = merge.threads,
                               .memory_bytes = gs_merge_memory(options, span_count)};
    snprintf(stats->reason, sizeof stats->reason, "a merge runs on the CPU");
    for (size_t i = 0; i < span_count; i++)
        stats->keys_in += spans[i].count;
    atomic_store(&merge.progress->done, 0);
    atomic_store(&merge.progress->total, stats->keys_in);
    atomic_store(&merge.progress->phase, "merge");
    pthread_mutex_init(&merge.lock, NULL); /* never fails on Linux */
    GS_TRY(gs_cut_open(&merge.cut, spans, span_count, options->reverse, SEGMENT_KEYS, err));
    GS_TRY(gs_emit_init(&merge.emitter, options, sink, err));
    has_emitter = true;
    bytes_each = (GS_CACHE_SORT_SCRATCH + merge.cut.room + GAP_KEYS) * sizeof(gs_key);
    memory = gs_pages_alloc(merge.threads * bytes_each);
    if (memory == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to merge %zu inputs", span_count);
        goto cleanup;
    }
    uint64_t fingerprint = run_threads(&merge, memory, bytes_each);
    GS_TRY(find_failure(&merge, err));
    GS_TRY(gs_emit_prove(&merge.emitter, fingerprint, err));
    stats->keys_out = merge.emitter.position;
    stats->fingerprint = fingerprint - merge.emitter.dropped_sum;
    stats->bins = merge.cut.segments;
    stats->stages[GS_STAGE_SORT_BINS].keys = stats->keys_in;
    stats->stages[GS_STAGE_SORT_BINS].bytes = 2 * stats->keys_in * GS_KEY_BYTES;
cleanup:
    if (has_emitter)
        gs_emit_free(&merge.emitter);
    gs_cut_close(&merge.cut);
    pthread_mutex_destroy(&merge.lock);
    gs_pages_free(memory, merge.threads * bytes_each);
    stats->total_ns = gs_now_ns() - start;
    return st;
}
