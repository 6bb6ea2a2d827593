/* external.c -- sort more keys than memory may hold: the whole of it, from input to output.
 * SPDX-License-Identifier: MIT
 *
 *   input --> sample --> splitters
 *     |                      |
 *     +--> chunk by chunk: split by bin in memory --> temporary files
 *                                                        |
 *            output <-- sort in memory <-- load <-- bins in order, several small ones together,
 *                                                   one that is too large is an input again
 *
 * Entries (external_entries.h). What goes through temporary files are keys (external_keys.c) or,
 * with tags as their keys, records (wide/external_records.c): these are read where they lie, and
 * written in the order of their tags' bins. All else is the same.
 *
 * Plan (external_plan.c). How many keys fit together with what sorting them takes; how many bins to
 * aim at, each a quarter of that, so that a sample may err; how large a chunk is. All of it is
 * settled before the first key is read, as is the plan of the sort of a group, for all groups.
 *
 * Distribute (external_distribute.c). The sample gives the splitters (external_sample.c); with
 * totals of all bins and the chunks, these are a level (external_level.c). Chunk after chunk is
 * split, row by row, as a sort in memory would (external_split.c), while the one before is written
 * by threads of its own (external_writer.c), bin by bin: so two chunks share the memory. A chunk is
 * added to its level when it is complete; with --resume the journal then tells so
 * (external_manifest.c), and a later run begins with what it finds proven. The first chunks stay in
 * memory as far as that has room for a good part of all: then the rest alone goes to temporary
 * files. Keys of an equality bin are counted, and written nowhere: whoever loads bins leaves these
 * out.
 *
 * Where equal keys become one in the output, what is in temporary files is combined whenever that
 * has grown enough (external_compact.c): the chunks so far give way to fewer, in their room.
 *
 * Emit (external_emit.c), once all chunks are complete. Bins go by in output order, as many at a
 * time as fit: a group. It is loaded, one read for each chunk, and sorted (external_group.c) by
 * what gs_sort takes, in the other half of the memory; its sink moves positions behind what is
 * written already, and the last key goes from group to group, since -u may drop the next one. A bin
 * that is too large is distributed again, to a level of its own, and that is emitted in its place;
 * tags then begin behind what all records of the bin share. Equal records are copied as they came.
 * It ends: at least two values are in such a bin, and each level parts them.
 *
 * The page cache overlaps the rest of disk I/O with the sort's work: it writes behind, and is told
 * what will be read next, the next bins before these are loaded. Where its pages come slowly,
 * chunks and output go past it (common/files/pace.h). Records of one or two bytes are counted as
 * they come, and nothing of all this is done (sort/ways/short_records.c).
 */
#include "sort/external/external.h"
#include "sort/external/external_distribute.h"
#include "sort/external/external_emit.h"
#include "sort/external/external_keys.h"
#include "sort/ways/short_records.h"
#include "sort/sorter/sorter.h"

enum gs_status gs_external_sort(const struct gs_entries *entries, const struct gs_options *options,
                                const struct gs_external *source, struct gs_sink *sink,
                                struct gs_progress *progress, struct gs_stats *stats,
                                struct gs_error *err)
{
    enum gs_status st;
    struct gs_level *level = NULL;
    struct gs_progress own_progress = {.phase = NULL};
    const bool is_known = source->read == NULL && source->held_bytes == 0;
    struct gs_external_sorter sorter = {
        .options = options,
        .source = source,
        .entries = entries,
        .progress = progress != NULL ? progress : &own_progress,
        .stats = stats,
        .threads = gs_threads(options),
        .sink = {.write = gs_external_write, .stream = sink->stream},
        .target = sink,
        .journal = is_known ? source->journal : NULL};
    uint64_t count = 0;
    for (size_t i = 0; i < source->span_count; i++)
        count += source->spans[i].count;
    if (is_known && sorter.journal == NULL)
        sorter.plan =
            gs_external_plan_keeping(entries, sorter.threads, source->memory_bytes, count);
    else
        sorter.plan = gs_external_plan(entries, sorter.threads, source->memory_bytes,
                                       source->read == NULL ? count : 0);
    *stats = (struct gs_stats){.order = "none",
                               .engine = gs_engine_name(GS_ENGINE_SAMPLESORT),
                               .device = GS_DEVICE_CPU,
                               .reason = "nothing but frequent keys; through temporary files",
                               .threads = sorter.threads};
    if (entries->tagged)
        GS_TRY(entries->check(entries, &sorter.plan, count, false, err));
    entries->plan(entries, sorter.plan.bin_keys, &sorter.group);
    GS_TRY(gs_trail_open(&sorter.trail, options, entries->look, sink, err));
    GS_TRY(gs_spill_open(&sorter.spill, source->directories, source->directory_count,
                         source->direct, err));
    GS_TRY(gs_external_split_input(&sorter, &level, err));
    stats->keys_in = atomic_load(&sorter.progress->done);
    gs_external_phase(&sorter, GS_STAGE_SORT_BINS, stats->keys_in - stats->keys_combined);
    GS_TRY(gs_external_emit(&sorter, level, err));
    stats->keys_out = sorter.position;
    st = gs_trail_prove(&sorter.trail, sorter.expected, stats, err);
cleanup:
    gs_external_drop(&sorter.load, gs_external_load_bytes(&sorter));
    gs_level_free(level);
    gs_trail_close(&sorter.trail);
    stats->temporary_bytes = sorter.spill.used;
    stats->reused_bytes = sorter.spill.used - sorter.spill.taken;
    stats->direct_bytes = atomic_load(&sorter.spill.direct_bytes);
    stats->keys_out = sorter.position;
    stats->fingerprint = sorter.expected;
    stats->memory_bytes = source->memory_bytes;
    gs_spill_close(&sorter.spill);
    return st;
}

enum gs_status gs_sort_external(const struct gs_options *options, const struct gs_external *source,
                                struct gs_sink *sink, struct gs_progress *progress,
                                struct gs_stats *stats, struct gs_error *err)
{
    const struct gs_key_entries keys = gs_key_entries(options);
    enum gs_status st;
    if (gs_plan_counts(options))
        return gs_sort_short_source(options, source, sink, progress, stats, err);
    *stats = (struct gs_stats){0};
    GS_TRY(gs_options_check(options, err));
    st = gs_external_sort(&keys.entries, options, source, sink, progress, stats, err);
cleanup:
    return st;
}
