/* device_array.c -- sort an array in the memory of a GPU, with the caller's memory and stream.
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

/* The same of the arrays: in == out, or nothing in common. */
static enum gs_status check_places(const struct gs_device_array *array, size_t bytes,
                                   struct gs_error *err)
{
    enum gs_status st;
    const uint64_t all = array->count * bytes;
    GS_TRY(gs_array_check(array->in, array->count, bytes, err));
    GS_TRY(gs_array_check(array->out, array->count, bytes, err));
    if (array->in != array->out && gs_arrays_overlap(array->in, all, array->out, all))
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "the arrays overlap: sort in place, or into another array");
    if (gs_arrays_overlap(array->temp, array->temp_bytes, array->in, all) ||
        gs_arrays_overlap(array->temp, array->temp_bytes, array->out, all))
        st = gs_fail(err, GS_ERR_USAGE, 0, "temp overlaps an array");
cleanup:
    return st;
}

enum gsort_status gsort_device_sort(void *temp, size_t *temp_bytes,
                                    const struct gsort_format *format, const void *in, void *out,
                                    uint64_t count, struct CUstream_st *stream, uint32_t flags,
                                    struct gsort_error *error)
{
    enum gs_status st;
    struct gs_error err = {.status = GS_OK};
    const struct gs_kind *kind = &format->records;
    struct gs_device_array array = {.in = in,
                                    .out = out,
                                    .count = count,
                                    .temp = temp,
                                    .temp_bytes = *temp_bytes,
                                    .stream = stream,
                                    .no_wait = (flags & GSORT_DEVICE_NO_WAIT) != 0};
    if ((flags & ~(uint32_t)GSORT_DEVICE_NO_WAIT) != 0)
        st = gs_fail(&err, GS_ERR_USAGE, 0, "flags %#x: only a newer library knows them", flags);
    else
        st = check_format(kind, &err);
    if (st == GS_OK && temp != NULL)
        st = check_places(&array, kind->format.record_bytes, &err);
    if (st == GS_OK)
        st = gs_width(&kind->options)->sort_device(&kind->options, &array, &err);
    if (st == GS_OK && temp == NULL)
        *temp_bytes = array.temp_bytes;
    return gs_tell_error(error, st, &err);
}
