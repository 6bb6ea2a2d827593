/* ordered_arrays.c -- merge arrays that are in order, and find where one is not.
 * SPDX-License-Identifier: MIT
 */
#include "sort/library/array_sink.h"
#include "sort/library/job.h"
#include "sort/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Room for the name of one of several arrays: in messages, disorder is at NAME:INDEX. */
#define NAME_BYTES 32

struct merging {
    struct gs_options options;
    struct gs_span *spans;
    size_t count;
    char (*names)[NAME_BYTES];
    struct gs_array_sink to;
    uint64_t kept;
};

/* gs_job_work */
static enum gs_status merge_spans(void *context, struct gs_progress *progress, struct gs_error *err)
{
    enum gs_status st;
    struct merging *merging = context;
    const struct gs_options *options = &merging->options;
    const struct gs_width *width = gs_width(options);
    struct gs_stats stats = {.keys_out = 0};
    GS_TRY(width->check_options(options, err));
    GS_TRY(width->merge(options, merging->spans, merging->count, &merging->to.sink, progress,
                        &stats, err));
    merging->kept = stats.keys_out;
cleanup:
    return st;
}

/* Make the spans, and count their records. */
static enum gs_status make_spans(struct merging *merging, const struct gs_kind *kind,
                                 const struct gsort_array *arrays, uint64_t *records,
                                 struct gs_error *err)
{
    const size_t bytes = gs_record_bytes(&kind->options);
    const size_t count = merging->count;
    *records = 0;
    if (count > SIZE_MAX / 2 / NAME_BYTES)
        return gs_fail(err, GS_ERR_USAGE, 0, "there are no %zu arrays", count);
    merging->spans = calloc(count + 1, sizeof *merging->spans);
    merging->names = malloc(count * sizeof *merging->names + 1);
    if (merging->spans == NULL || merging->names == NULL) {
        (void)gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to merge %zu arrays", count);
        return GS_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        const struct gsort_array *array = &arrays[i];
        const enum gs_status st = gs_array_check(array->records, array->count, bytes, err);
        if (st != GS_OK)
            return st;
        snprintf(merging->names[i], NAME_BYTES, "array %zu", i);
        gs_array_read(&merging->options, kind, array->records);
        merging->spans[i] = (struct gs_span){array->records, array->count, merging->names[i]};
        *records += array->count;
    }
    return GS_OK;
}

static enum gs_status check_apart(const struct merging *merging, const void *to, uint64_t records,
                                  struct gs_error *err)
{
    const size_t bytes = gs_record_bytes(&merging->options);
    enum gs_status st = gs_array_check(to, records, bytes, err);
    for (size_t i = 0; merging->spans != NULL && i < merging->count && st == GS_OK; i++)
        if (gs_arrays_overlap(merging->spans[i].keys, merging->spans[i].count * bytes, to,
                              records * bytes))
            st = gs_fail(err, GS_ERR_USAGE, 0, "%s overlaps the output: merge into another array",
                         merging->spans[i].name);
    return st;
}

static enum gs_status merge_arrays(const struct gs_kind *kind, const struct gsort_array *arrays,
                                   size_t array_count, void *merged,
                                   const struct gsort_options *given, uint64_t *kept,
                                   struct gs_error *err)
{
    enum gs_status st;
    uint64_t records;
    struct gsort_options options;
    struct merging merging = {.options = kind->options, .count = array_count};
    GS_TRY(gs_take_options(given, &options, err));
    GS_TRY(make_spans(&merging, kind, arrays, &records, err));
    GS_TRY(check_apart(&merging, merged, records, err));
    const bool small = records <= GS_SMALL_BYTES / gs_record_bytes(&merging.options);
    gs_array_options(&merging.options, &options, small);
    merging.to = gs_array_sink(&merging.options, kind, merged);
    GS_TRY(gs_job_run(&options, small, merge_spans, &merging, err));
    if (kept != NULL)
        *kept = merging.kept;
cleanup:
    free(merging.spans);
    free(merging.names);
    return st;
}

enum gsort_status gsort_merge(const struct gsort_format *format, const struct gsort_array *arrays,
                              size_t array_count, void *merged, const struct gsort_options *options,
                              uint64_t *kept, struct gsort_error *error)
{
    struct gs_error err = {.status = GS_OK};
    const enum gs_status st =
        merge_arrays(&format->records, arrays, array_count, merged, options, kept, &err);
    return gs_tell_error(error, st, &err);
}

struct checking {
    struct gs_options options;
    const void *records;
    uint64_t count, disorder;
};

/* gs_job_work */
static enum gs_status check_order(void *context, struct gs_progress *progress, struct gs_error *err)
{
    struct checking *checking = context;
    const struct gs_options *options = &checking->options;
    (void)progress;
    (void)err;
    checking->disorder =
        gs_width(options)->first_disorder(options, checking->records, checking->count, NULL);
    return GS_OK;
}

static enum gs_status check_array(const struct gs_kind *kind, const void *records, uint64_t count,
                                  const struct gsort_options *given, uint64_t *disorder,
                                  struct gs_error *err)
{
    enum gs_status st;
    struct gsort_options options;
    struct checking checking = {.options = kind->options, .records = records, .count = count};
    const size_t bytes = gs_record_bytes(&kind->options);
    const bool small = count <= GS_SMALL_BYTES / bytes;
    GS_TRY(gs_take_options(given, &options, err));
    GS_TRY(gs_array_check(records, count, bytes, err));
    gs_array_options(&checking.options, &options, small);
    gs_array_read(&checking.options, kind, records);
    GS_TRY(gs_job_run(&options, small, check_order, &checking, err));
    *disorder = checking.disorder;
cleanup:
    return st;
}

enum gsort_status gsort_check(const struct gsort_format *format, const void *records,
                              uint64_t count, const struct gsort_options *options,
                              uint64_t *disorder, struct gsort_error *error)
{
    struct gs_error err = {.status = GS_OK};
    const enum gs_status st =
        check_array(&format->records, records, count, options, disorder, &err);
    return gs_tell_error(error, st, &err);
}
