/* array_sink.c -- arrays of the caller as input and output.
 * SPDX-License-Identifier: MIT
 */
#include "sort/library/array_sink.h"

#include <inttypes.h>
#include <string.h>

void gs_array_options(struct gs_options *options, const struct gsort_options *given, bool small)
{
    options->unique = (given->flags & GSORT_UNIQUE) != 0;
    options->threads = small && given->threads == 0 ? 1 : given->threads;
    options->memory_bytes = given->memory_bytes;
}

enum gs_status gs_array_check(const void *array, uint64_t count, size_t bytes, struct gs_error *err)
{
    if (count <= SIZE_MAX / 2 / bytes && (count == 0 || array != NULL))
        return GS_OK;
    return gs_fail(err, GS_ERR_USAGE, 0, "there is no array of %" PRIu64 " records at %p", count,
                   array);
}

bool gs_arrays_overlap(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes)
{
    const uintptr_t first = (uintptr_t)a;
    const uintptr_t second = (uintptr_t)b;
    return a_bytes > 0 && b_bytes > 0 && (first - second < b_bytes || second - first < a_bytes);
}

static bool is_aligned(const void *array, const struct gs_options *options)
{
    return (uintptr_t)array % gs_plain_bytes(options) == 0;
}

void gs_array_read(struct gs_options *options, const struct gs_kind *kind, const void *array)
{
    if (options->records == NULL && !is_aligned(array, options))
        options->codec = &kind->codec;
}

static enum gs_status write_array(struct gs_sink *sink, const void *keys, uint64_t count,
                                  uint64_t position, struct gs_error *err)
{
    struct gs_array_sink *to = (struct gs_array_sink *)sink;
    (void)err;
    memcpy(to->to + position * to->record_bytes, keys, count * to->record_bytes);
    return GS_OK;
}

/* The sort has no other memory for elements than of their size, and aligned. */
struct gs_array_sink gs_array_sink(const struct gs_options *options, const struct gs_kind *kind,
                                   void *array)
{
    const bool straight =
        options->records != NULL ||
        (kind->format.record_bytes == gs_plain_bytes(options) && is_aligned(array, options));
    return (struct gs_array_sink){.sink = {.write = write_array, .memory = straight ? array : NULL},
                                  .to = array,
                                  .record_bytes = gs_output_bytes(options)};
}
