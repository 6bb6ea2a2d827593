/* array_sink.h -- arrays of the caller as input and output.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_ARRAY_SINK_H
#define GS_ARRAY_SINK_H

#include "sort/library/library.h"

/* Arrays of at most so many bytes are sorted by one thread, in less time than another would take
 * to start. */
#define GS_SMALL_BYTES ((uint64_t)64 << 10)

struct gs_array_sink {
    struct gs_sink sink;
    char *to;
    size_t record_bytes;
};

/* Set what a call's options have to say of the work, besides its kind. */
void gs_array_options(struct gs_options *options, const struct gsort_options *given, bool small);

/* GS_ERR_USAGE if there cannot be an array of so many records of `bytes` bytes. */
enum gs_status gs_array_check(const void *array, uint64_t count, size_t bytes,
                              struct gs_error *err);

/* Have two arrays of so many bytes a byte in common? */
bool gs_arrays_overlap(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes);

/* Elements of an array that is not aligned are copied like records: options->codec is set. */
void gs_array_read(struct gs_options *options, const struct gs_kind *kind, const void *array);

/* An array as a sink, once the inputs have been looked at. */
struct gs_array_sink gs_array_sink(const struct gs_options *options, const struct gs_kind *kind,
                                   void *array);

#endif
