/* arrays.c -- sort an array in memory, in place or into another, or only its positions.
 * SPDX-License-Identifier: MIT
 */
#include "sort/library/array_sink.h"
#include "sort/library/job.h"
#include "sort/sort.h"

#include "common/memory/memory.h"

#include <inttypes.h>
#include <string.h>

struct sorting {
    struct gs_options options;
    struct gs_span span;
    struct gs_array_sink to;
    uint64_t kept;
};

/* Records that no element holds are fetched from where they are when their places are known: they
 * are sorted in place by way of another array. */
static enum gs_status sort_by_copy(struct sorting *sorting, struct gs_progress *progress,
                                   struct gs_stats *stats, struct gs_error *err)
{
    struct gs_options *options = &sorting->options;
    void *const array = sorting->to.to;
    const uint64_t bytes = sorting->span.count * gs_record_bytes(options);
    if (options->memory_bytes > 0 && options->memory_bytes <= bytes)
        return gs_fail(err, GS_ERR_MEMORY, 0,
                       "sorting %" PRIu64 " records in place takes more than their %" PRIu64
                       " MiB of memory, and only %" PRIu64 " MiB may be used (-S)",
                       sorting->span.count, bytes >> 20, options->memory_bytes >> 20);
    void *copy = gs_pages_alloc(bytes);
    if (copy == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to sort records in place");
    if (options->memory_bytes > 0)
        options->memory_bytes -= bytes;
    sorting->to.to = sorting->to.sink.memory = copy;
    sorting->to.sink.over_input = false;
    enum gs_status st = gs_width(options)->sort(options, &sorting->span, 1, &sorting->to.sink,
                                                progress, stats, err);
    if (st == GS_OK)
        memcpy(array, copy, stats->keys_out * gs_record_bytes(options));
    gs_pages_free(copy, bytes);
    return st;
}

/* gs_job_work */
static enum gs_status sort_array(void *context, struct gs_progress *progress, struct gs_error *err)
{
    enum gs_status st;
    struct sorting *sorting = context;
    const struct gs_options *options = &sorting->options;
    const struct gs_width *width = gs_width(options);
    struct gs_stats stats = {.keys_out = 0};
    GS_TRY(width->check_options(options, err));
    GS_TRY(width->check_count(options, sorting->span.count, err));
    if (sorting->to.sink.over_input && options->records != NULL)
        GS_TRY(sort_by_copy(sorting, progress, &stats, err));
    else
        GS_TRY(width->sort(options, &sorting->span, 1, &sorting->to.sink, progress, &stats, err));
    sorting->kept = stats.keys_out;
cleanup:
    return st;
}

/* Refuse arrays that cannot be in memory, or overlap. */
static enum gs_status check_arrays(const struct gs_options *options, const void *records,
                                   const void *to, uint64_t count, struct gs_error *err)
{
    enum gs_status st;
    const size_t input = gs_record_bytes(options);
    const size_t output = gs_output_bytes(options);
    GS_TRY(gs_array_check(records, count, input, err));
    GS_TRY(gs_array_check(to, count, output, err));
    if ((records != to || options->index_bytes != 0) &&
        gs_arrays_overlap(records, count * input, to, count * output))
        st = gs_fail(err, GS_ERR_USAGE, 0,
                     "the arrays overlap: sort in place, or into another array");
cleanup:
    return st;
}

static enum gs_status sort_kind(const struct gs_kind *kind, unsigned index_bytes,
                                const void *records, void *to, uint64_t count,
                                const struct gsort_options *given, uint64_t *kept,
                                struct gs_error *err)
{
    enum gs_status st;
    struct gsort_options options;
    struct sorting sorting = {.options = kind->options};
    const bool small = count <= GS_SMALL_BYTES / gs_record_bytes(&sorting.options);
    GS_TRY(gs_take_options(given, &options, err));
    gs_array_options(&sorting.options, &options, small);
    sorting.options.index_bytes = index_bytes;
    GS_TRY(check_arrays(&sorting.options, records, to, count, err));
    gs_array_read(&sorting.options, kind, records);
    sorting.span = (struct gs_span){.keys = records, .count = count, .name = "array"};
    sorting.to = gs_array_sink(&sorting.options, kind, to);
    sorting.to.sink.over_input = to == records;
    GS_TRY(gs_job_run(&options, small, sort_array, &sorting, err));
    if (kept != NULL)
        *kept = sorting.kept;
cleanup:
    return st;
}

enum gsort_status gsort_sort(const struct gsort_format *format, const void *records, void *sorted,
                             uint64_t count, const struct gsort_options *options, uint64_t *kept,
                             struct gsort_error *error)
{
    struct gs_error err = {.status = GS_OK};
    const enum gs_status st =
        sort_kind(&format->records, 0, records, sorted, count, options, kept, &err);
    return gs_tell_error(error, st, &err);
}

enum gsort_status gsort_argsort(const struct gsort_format *format, const void *records,
                                void *indices, unsigned index_bytes, uint64_t count,
                                const struct gsort_options *options, struct gsort_error *error)
{
    struct gs_error err = {.status = GS_OK};
    enum gs_status st;
    if (index_bytes != 4 && index_bytes != 8)
        st = gs_fail(&err, GS_ERR_USAGE, 0, "positions are integers of 4 or 8 bytes, not of %u",
                     index_bytes);
    else if (options != NULL && (options->flags & GSORT_UNIQUE) != 0)
        st = gs_fail(&err, GS_ERR_USAGE, 0, "positions are those of all records: no GSORT_UNIQUE");
    else
        st = sort_kind(&format->indices, index_bytes, records, indices, count, options, NULL, &err);
    return gs_tell_error(error, st, &err);
}
