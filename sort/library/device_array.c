/* device_array.c -- sort an array in a GPU's memory, or its positions, with memory of the caller.
 * SPDX-License-Identifier: MIT
 */
#include "sort/library/array_sink.h"
#include "sort/sort.h"

/* Only what one element holds can be sorted there. */
static enum gs_status check_format(const struct gs_kind *kind, struct gs_error *err)
{
    if (kind->format.element_bytes == 0)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "in device memory, records of 1 to 16 bytes are sorted, not of %u",
                       kind->format.record_bytes);
    if (kind->options.records != NULL)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "in device memory, records of 1 to 16 bytes are sorted, equal keys by their "
                       "other bytes: leave s out");
    return GS_OK;
}

/* The same of the arrays: in == out, or nothing in common; positions have nothing in common. */
static enum gs_status check_places(const struct gs_device_array *array, size_t bytes,
                                   struct gs_error *err)
{
    enum gs_status st;
    const size_t out_bytes = array->index_bytes != 0 ? array->index_bytes : bytes;
    const uint64_t in_all = array->count * bytes;
    const uint64_t out_all = array->count * out_bytes;
    GS_TRY(gs_array_check(array->in, array->count, bytes, err));
    GS_TRY(gs_array_check(array->out, array->count, out_bytes, err));
    if ((array->in != array->out || array->index_bytes != 0) &&
        gs_arrays_overlap(array->in, in_all, array->out, out_all))
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "the arrays overlap: sort in place, or into another array");
    if (gs_arrays_overlap(array->temp, array->temp_bytes, array->in, in_all) ||
        gs_arrays_overlap(array->temp, array->temp_bytes, array->out, out_all))
        st = gs_fail(err, GS_ERR_USAGE, 0, "temp overlaps an array");
cleanup:
    return st;
}

/* Set options to sort records by elements that have room for a position below their keys. */
static enum gs_status set_elements(struct gs_options *options, struct gs_format *format,
                                   const struct gs_device_array *array, struct gs_error *err)
{
    const uint32_t index_bytes = array->count >> 32 != 0 ? 8 : 4;
    uint32_t bytes = index_bytes; /* that an element must have */
    for (uint32_t i = 0; i < format->key_count; i++)
        bytes += format->keys[i].type.bytes;
    if (array->index_bytes != 4 && array->index_bytes != 8)
        return gs_fail(err, GS_ERR_USAGE, 0, "positions are integers of 4 or 8 bytes, not of %u",
                       array->index_bytes);
    if (array->index_bytes < index_bytes)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "positions of so many records are integers of 8 bytes");
    if (bytes > 16 || format->element_bytes == 0)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "in device memory, positions are those of records of 1 to 16 bytes with "
                       "keys of up to %u, not of %u with %u",
                       16 - index_bytes, format->record_bytes, bytes - index_bytes);
    format->element_bytes = bytes <= 8 && format->record_bytes <= 8 ? 8 : 16;
    options->format = format;
    options->key_bytes = format->element_bytes;
    options->records = NULL;
    return GS_OK;
}

/* What both calls do. */
static enum gs_status sort_array(const struct gs_options *options, size_t record_bytes,
                                 struct gs_device_array *array, uint32_t flags, size_t *temp_bytes,
                                 struct gs_error *err)
{
    enum gs_status st;
    array->no_wait = (flags & GSORT_DEVICE_NO_WAIT) != 0;
    if ((flags & ~GSORT_DEVICE_NO_WAIT) != 0)
        return gs_fail(err, GS_ERR_USAGE, 0, "flags %#x: only a newer library knows them", flags);
    if (array->temp != NULL)
        GS_TRY(check_places(array, record_bytes, err));
    GS_TRY(gs_width(options)->sort_device(options, array, err));
    if (array->temp == NULL)
        *temp_bytes = array->temp_bytes;
cleanup:
    return st;
}

enum gsort_status gsort_device_sort(void *temp, size_t *temp_bytes,
                                    const struct gsort_format *format, const void *in, void *out,
                                    uint64_t count, struct CUstream_st *stream, uint32_t flags,
                                    struct gsort_error *error)
{
    struct gs_error err = {.status = GS_OK};
    const struct gs_kind *kind = &format->records;
    struct gs_device_array array = {.in = in,
                                    .out = out,
                                    .count = count,
                                    .temp = temp,
                                    .temp_bytes = *temp_bytes,
                                    .stream = stream};
    enum gs_status st = check_format(kind, &err);
    if (st == GS_OK)
        st = sort_array(&kind->options, kind->format.record_bytes, &array, flags, temp_bytes, &err);
    return gs_tell_error(error, st, &err);
}

enum gsort_status gsort_device_argsort(void *temp, size_t *temp_bytes,
                                       const struct gsort_format *format, const void *records,
                                       void *indices, unsigned index_bytes, uint64_t count,
                                       struct CUstream_st *stream, uint32_t flags,
                                       struct gsort_error *error)
{
    struct gs_error err = {.status = GS_OK};
    struct gs_options options = format->records.options;
    struct gs_format with_index = format->records.format;
    struct gs_device_array array = {.in = records,
                                    .out = indices,
                                    .index_bytes = index_bytes,
                                    .count = count,
                                    .temp = temp,
                                    .temp_bytes = *temp_bytes,
                                    .stream = stream};
    enum gs_status st = set_elements(&options, &with_index, &array, &err);
    if (st == GS_OK)
        st = sort_array(&options, with_index.record_bytes, &array, flags, temp_bytes, &err);
    return gs_tell_error(error, st, &err);
}
