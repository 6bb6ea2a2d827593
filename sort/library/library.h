/* library.h -- what the calls of gsort.h share: formats, options, errors.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_LIBRARY_H
#define GS_LIBRARY_H

#include "sort/gsort.h"
#include "sort/types/records_of.h"
#include "sort/types/types.h"

/* Options for records of a format, and what they point to. */
struct gs_kind {
    struct gs_options options;
    struct gs_format format;
    struct gs_codec codec;
    struct gs_record_order order;
};

struct gsort_format {
    struct gs_kind records; /* to sort them, */
    struct gs_kind indices; /* or their positions; never changed once it is parsed */
};

/* Copy what a caller has given, or the defaults; GS_ERR_USAGE if that has what is not known here.
 */
enum gs_status gs_take_options(const struct gsort_options *given, struct gsort_options *options,
                               struct gs_error *err);

/* Has a caller's structure, of so many bytes, anything but zeros behind what is known here? */
bool gs_asks_more(const void *structure, size_t known, size_t size);

/* Fill in a caller's structure, or NULL; returns the status as callers know it. */
enum gsort_status gs_tell_error(struct gsort_error *error, enum gs_status status,
                                const struct gs_error *err);

/* Tell a line that is no error. */
void gs_tell_line(struct gsort_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
