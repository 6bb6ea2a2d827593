/* npy_files.h -- inputs that are .npy files, which say themselves what they hold.
 * SPDX-License-Identifier: MIT
 *
 * If the first input is one, all must be, with records of the same type. The header of the first
 * file is looked at before it is opened as an input, for options depend on it; it is the same file
 * then, or it is refused. Headers of others are read when those are open; that of a pipe, with the
 * pipe's first bytes.
 */
#ifndef GS_NPY_FILES_H
#define GS_NPY_FILES_H

#include "common/files/input.h"
#include "common/formats/npy.h"
#include "sort/types/types.h"

struct gs_npy_files {
    const char *name;          /* of the first file; */
    struct gs_npy head;        /* its header, */
    unsigned char *bytes;      /* and the bytes of that */
    struct gs_npy made;        /* a header with one more field, */
    unsigned char *made_bytes; /* and the bytes of that, or NULL */
    unsigned char *out;        /* the output's header: the same with another count */
    uint32_t out_bytes;
    uint64_t count;          /* records in all files whose headers are known, */
    struct gs_wanted wanted; /* and which of them the output has */
    bool streams;            /* the output's header is written before it: with that count */
    uint64_t tail_bytes;     /* of a table: so many follow its records, */
    dev_t device;            /* in this file */
    ino_t inode;
};

/* If the first of `count` inputs is a regular file that begins as a .npy file does: make *npy and
 * *skips, the bytes in front of each file's records, and set *format, with the keys that -k names.
 * Else *npy is NULL, and *undecided says whether it is no regular file. A file that cannot be read
 * is left for later to report. Free both, even after a failure. */
enum gs_status gs_npy_files_find(const char *first, size_t count,
                                 const struct gs_format_options *options, struct gs_npy_files **npy,
                                 uint64_t **skips, struct gs_format *format, bool *undecided,
                                 struct gs_error *err);
/* The order of records that a header tells of; any, if no -k is given and they are only shown. */
enum gs_status gs_npy_files_order(struct gs_format *format, const struct gs_npy *head,
                                  const struct gs_format_options *options, const char *name,
                                  struct gs_error *err);
void gs_npy_files_free(struct gs_npy_files *npy);

/* The same for a first input that is pending: wait for its first bytes. */
enum gs_status gs_npy_files_begin(struct gs_inputs *inputs, const struct gs_format_options *options,
                                  struct gs_npy_files **npy, uint64_t **skips,
                                  struct gs_format *format, struct gs_error *err);

/* Inputs are open, from their first bytes on: take the headers of those that are mapped; those of
 * pending ones when they are read, until when npy must stay. */
enum gs_status gs_npy_files_follow(struct gs_npy_files *npy, struct gs_inputs *inputs,
                                   uint64_t *skips, struct gs_error *err);

/* The output has one more field. */
enum gs_status gs_npy_files_add(struct gs_npy_files *npy, const char *field,
                                const struct gs_key_type *type, struct gs_error *err);

/* Decide how long the output's header is: as the first file's, if the count does not change, or if
 * that has room; grows: the count may be any. */
enum gs_status gs_npy_files_make_out(struct gs_npy_files *npy, bool changes, bool grows,
                                     struct gs_error *err);

/* Make the output's header, for so many records. */
void gs_npy_files_count(struct gs_npy_files *npy, uint64_t count);

#endif
