/* stages_records.c -- the table of stages for records.
 * SPDX-License-Identifier: MIT
 *
 * Up to the scatter, the CPU's stages do it, on tags. Splitters are such that records whose tags
 * don't tell their order lie in the same bin. So each bin is finished by one thread: sorted in
 * cache, ties resolved, duplicates dropped, and its records fetched to their place in the output.
 */
#include "sort/tags/stages_records.h"
#include "sort/bin/cache_sort.h"
#include "sort/check/record_fingerprint.h"
#include "sort/cpu/count_bins.h"
#include "sort/cpu/cpu.h"
#include "sort/cpu/prefix_sum.h"
#include "sort/cpu/scatter.h"
#include "sort/cpu/stages_cpu.h"
#include "sort/run/thread_work.h"
#include "sort/tags/gather.h"
#include "sort/tags/ties.h"

#include "common/clock.h"
#include "common/memory/memory.h"

/* Bytes of records that are written at once where the sink is not memory. */
#define BLOCK_BYTES ((size_t)512 << 10)

/* With tags of 64 bits, one record in so many may share its prefix with another one; and there may
 * be so many records: beyond, a sample does not see pairs that are many. */
#define SHARED_PART        4
#define NARROW_RECORDS_MAX ((uint64_t)1 << 29)

static struct gs_wide *wide_of(struct gs_run *run)
{
    return (struct gs_wide *)run; /* its first member */
}

/* Do narrow tags tell the order of nearly all records? If two of `samples` are the same
 * with probability p, there are p samples^2 / 2 pairs among them, and each of `count` records is
 * like p count others. */
static bool suits(struct gs_run *run, const gs_key *sample)
{
    const struct gs_tags *tags = &wide_of(run)->tags;
    const uint32_t samples = run->plan.samples;
    uint64_t same = 0;
    if (GS_KEY_BITS > 64 || tags->whole)
        return true;
    for (uint32_t i = 1; i < samples; i++)
        same += (sample[i] ^ sample[i - 1]) <= gs_tags_index_mask(tags) &&
                gs_tag_next(tags, sample[i]) < tags->string_bytes;
    return run->plan.count <= NARROW_RECORDS_MAX &&
           2.0 * SHARED_PART * (double)same * (double)run->plan.count <= (double)samples * samples;
}

/* Map the output as memory where enough threads can make its pages beside the others: with
 * fewer, nothing is faster than to write it. */
static enum gs_status map_output(struct gs_run *run, struct gs_error *err)
{
    struct gs_sink *sink = wide_of(run)->sink;
    (void)err;
    if (gs_sink_maps(sink) && !run->options->unique && run->plan.threads >= GS_THREADS_TO_SPARE)
        sink->memory = sink->map(sink, run->plan.count, false);
    return GS_OK;
}

/* A thread's memory. */
struct hand {
    gs_key *tags; /* room for a bin */
    uint64_t room;
    char *memory; /* for one record, the last of the block before, and then */
    char *block;  /* for block_records */
    uint64_t block_records;
};

/* Make room for `count` tags; false: no memory. */
static bool make_room(struct hand *hand, uint64_t count)
{
    if (count <= hand->room)
        return true;
    gs_pages_free(hand->tags, hand->room * sizeof *hand->tags);
    hand->tags = gs_pages_alloc(count * sizeof *hand->tags);
    hand->room = hand->tags != NULL ? count : 0;
    return hand->tags != NULL;
}

/* Fetch the records of a bin; first as gs_gather has it. */
static enum gs_status gather(const struct gs_wide *wide, uint32_t bin, const gs_key *tags,
                             uint64_t count, bool first, char *to, struct gs_error *err)
{
    if (gs_gather(wide, bin, tags, count, first, to))
        return GS_OK;
    return gs_tiles_fail_changed(&wide->run.tiles, 0, wide->run.plan.count, err);
}

/* Write the records of tags to memory that the sink has. */
static enum gs_status gather_in_place(struct gs_wide *wide, uint32_t bin, const gs_key *tags,
                                      uint64_t count, uint64_t position, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_sink *sink = wide->sink;
    char *to = (char *)sink->memory + position * wide->output_bytes;
    if (sink->make != NULL)
        GS_TRY(sink->make(sink, count, position, err));
    GS_TRY(gather(wide, bin, tags, count, true, to, err));
    if (sink->make != NULL)
        st = sink->write(sink, to, count, position, err);
cleanup:
    return st;
}

/* Write the records of tags in blocks. */
static enum gs_status gather_blocks(struct gs_wide *wide, uint32_t bin, const struct hand *hand,
                                    const gs_key *tags, uint64_t count, uint64_t position,
                                    struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_sink *sink = wide->sink;
    const unsigned bytes = wide->output_bytes;
    for (uint64_t done = 0, here; done < count; done += here) {
        if (done > 0)
            memcpy(hand->memory, hand->memory + hand->block_records * bytes, bytes);
        here = count - done < hand->block_records ? count - done : hand->block_records;
        GS_TRY(gather(wide, bin, tags + done, here, done == 0, hand->block, err));
        GS_TRY(gs_trail_follow(&wide->trail, hand->block, here, position + done, err));
        GS_TRY(sink->write(sink, hand->block, here, position + done, err));
    }
cleanup:
    return st;
}

/* Hand out the sorted tags of a bin. */
static enum gs_status emit(struct gs_wide *wide, uint32_t bin, uint64_t planned,
                           const struct hand *hand, const gs_key *tags, uint64_t count,
                           struct gs_thread_work *work)
{
    struct gs_emitter *emitter = &wide->run.emitter;
    struct gs_error err = {.status = GS_OK};
    uint64_t position;
    enum gs_status st = gs_emit_begin(emitter, bin, NULL, &count, planned, &position);
    if (st != GS_OK)
        return st;
    const uint64_t start = gs_now_ns();
    if (wide->sink->memory != NULL)
        st = gather_in_place(wide, bin, tags, count, position, &err);
    else
        st = gather_blocks(wide, bin, hand, tags, count, position, &err);
    if (st != GS_OK)
        gs_emit_fail(emitter, &err);
    work->write_ns += gs_now_ns() - start;
    work->keys_out += count;
    gs_emit_end(emitter);
    return st;
}

/* Make the tags of a bin's records, which lie in runs, and sort them. */
static gs_key *sort_loaded(struct gs_wide *wide, const struct gs_rows *rows, uint64_t count,
                           gs_key *tags, gs_key *scratch)
{
    const struct gs_tagger *tagger = &wide->tags.tagger;
    gs_key low = GS_KEY_MAX, high = 0;
    gs_key *to = tags;
    uint64_t sum = 0;
    for (uint64_t row = 0; row < rows->count; row++) {
        const uint32_t *starts = rows->starts + row * rows->stride;
        const uint32_t here = starts[1] - starts[0];
        const char *records = gs_wide_record(wide, starts[0]);
        tagger->tag(tagger, records, starts[0], here, to);
        if (wide->options->verify)
            sum += gs_records_fingerprint(records, tagger->record_bytes, here);
        to += here;
    }
#pragma omp atomic
    wide->run.fingerprint += sum;
    for (uint64_t i = 0; i < count; i++) {
        low = tags[i] < low ? tags[i] : low;
        high = tags[i] > high ? tags[i] : high;
    }
    return gs_cache_sort(tags, scratch, count, low, high);
}

/* Finish a bin; it is piece `bin` of the output. */
static enum gs_status finish_bin(struct gs_wide *wide, uint32_t bin, struct hand *hand,
                                 struct gs_thread_work *work)
{
    struct gs_run *run = &wide->run;
    const uint64_t count = run->counts[bin];
    const uint64_t start = gs_now_ns();
    const struct gs_rows rows = gs_rows_from(&run->cpu->rows, bin);
    gs_key *scratch = gs_cpu_scratch(run);
    if (count == 0)
        return emit(wide, bin, run->offsets[bin], hand, NULL, 0, work);
    if (!make_room(hand, count)) {
        struct gs_error err = {.status = GS_OK};
        gs_cpu_fail_memory(run, &err);
        gs_emit_fail(&run->emitter, &err);
        return err.status;
    }
    const struct gs_bin_output output = {.to = hand->tags};
    gs_key *tags = gs_wide_bins(wide) != NULL
                       ? sort_loaded(wide, &rows, count, hand->tags, scratch)
                       : gs_cache_sort_runs(&rows, &output, scratch, run->plan.scratch_keys, count,
                                            gs_splitters_low(&run->splitters, bin),
                                            gs_splitters_high(&run->splitters, bin));
    if (tags == NULL)
        return gs_work_fail_changed(run);
    if (tags != hand->tags)
        memcpy(hand->tags, tags, count * sizeof *tags);
    uint64_t kept = count;
    if (wide->options->unique)
        kept = gs_ties_unique(wide, hand->tags, count, scratch);
    else
        gs_ties_resolve(wide, hand->tags, count, scratch);
    work->sort_ns += gs_now_ns() - start;
    work->keys_in += count;
    return emit(wide, bin, run->offsets[bin], hand, hand->tags, kept, work);
}

/* The records that a block has. */
static uint64_t block_records(const struct gs_wide *wide)
{
    uint64_t records = BLOCK_BYTES / wide->output_bytes;
    return records > 0 ? records : 1;
}

/* Sort each bin, resolve ties, drop duplicates under options->unique, and write the records. */
static enum gs_status sort_bins(struct gs_run *run, struct gs_error *err)
{
    struct gs_wide *wide = wide_of(run);
    const uint32_t bins = gs_run_bins(run);
    const size_t bytes = (block_records(wide) + 1) * wide->output_bytes;
    atomic_uint next = 0;
    gs_total_bins_cpu(run);
#pragma omp parallel num_threads(run->plan.threads)
    {
        struct gs_thread_work work = {0};
        struct hand hand = {.block_records = block_records(wide), .memory = gs_pages_alloc(bytes)};
        if (hand.memory != NULL) {
            hand.block = hand.memory + wide->output_bytes;
        } else {
            struct gs_error own = {.status = GS_OK};
            gs_cpu_fail_memory(run, &own);
            gs_emit_fail(&run->emitter, &own);
        }
        enum gs_status st = GS_OK;
        for (uint32_t bin;
             hand.memory != NULL && st == GS_OK && (bin = atomic_fetch_add(&next, 1)) < bins;) {
            st = finish_bin(wide, bin, &hand, &work);
            atomic_fetch_add_explicit(&run->progress->done, run->counts[bin], memory_order_relaxed);
        }
        gs_work_account(run, &work, run->plan.threads);
        gs_pages_free(hand.tags, hand.room * sizeof *hand.tags);
        gs_pages_free(hand.memory, bytes);
    }
    return gs_emit_result(&run->emitter, err);
}

const struct gs_stages gs_stages_records = {
    .device = GS_DEVICE_CPU,
    .scatter_device = GS_DEVICE_CPU,
    .chunks_side_by_side = true,
    .bins_only = true,
    .suits = suits,
    .map_output = map_output,
    .open = gs_open_cpu,
    .count_bins = gs_count_bins_cpu,
    .prefix_sum = gs_prefix_sum_cpu,
    .scatter = gs_scatter_cpu,
    .sort_bins = sort_bins,
    .close = gs_close_cpu,
};
