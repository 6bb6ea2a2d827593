/* npy_files.h -- inputs that are .npy files, which say themselves what they hold.
 * SPDX-License-Identifier: MIT
 *
 * If the first input is one, all must be, with the same records. Headers of files are read before
 * they are opened as inputs; that of a pipe, with the pipe's first bytes.
 */
#ifndef GS_NPY_FILES_H
#define GS_NPY_FILES_H

#include "common/input.h"
#include "common/npy.h"

struct gs_npy_files {
    const char *name;                       /* of the first file; */
    struct gs_npy head;                     /* its header, */
    unsigned char bytes[GS_NPY_HEADER_MAX]; /* and the bytes of that */
    struct gs_npy out_head;                 /* of the output: the same with another count */
    unsigned char out_bytes[GS_NPY_HEADER_MAX];
    uint64_t count; /* records in all files whose headers are known */
    bool streams;   /* the output's header is written before it: with that count */
};

/* If the first of the inputs (there is at least one) is a regular file that begins as a .npy file
 * does: make *npy and *skips, the bytes in front of each file's records, and set *format, with the
 * keys that -k names. Else *npy is NULL, and *undecided says whether it is no regular file. A file
 * that cannot be read is left for later to report. Free both, even after a failure. */
enum gs_status gs_npy_files_find(const char *const *names, size_t count,
                                 const struct gs_format_options *options, struct gs_npy_files **npy,
                                 uint64_t **skips, struct gs_format *format, bool *undecided,
                                 struct gs_error *err);

/* The same for a first input that is pending: wait for its first bytes. */
enum gs_status gs_npy_files_begin(struct gs_inputs *inputs, const struct gs_format_options *options,
                                  struct gs_npy_files **npy, uint64_t **skips,
                                  struct gs_format *format, struct gs_error *err);

/* Take the headers of the other inputs that are mapped; those of pending ones when they are read,
 * until when npy must stay. */
enum gs_status gs_npy_files_follow(struct gs_npy_files *npy, struct gs_inputs *inputs,
                                   uint64_t *skips, struct gs_error *err);

/* Make the output's header, for so many records. name is the output's. */
enum gs_status gs_npy_files_count(struct gs_npy_files *npy, uint64_t count, const char *name,
                                  struct gs_error *err);

#endif
