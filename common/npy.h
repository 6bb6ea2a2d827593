/* npy.h -- the header of a .npy file, numpy's format for one array: versions 1.0, 2.0 and 3.0.
 * SPDX-License-Identifier: MIT
 *
 * Arrays of one dimension, or of a single value, whose elements are of a plain type or structures
 * of such. Fields may be of any type that has a fixed size: those that are no keys move with the
 * others. name is the file's, for messages; errors are GS_ERR_INPUT.
 */
#ifndef GS_NPY_H
#define GS_NPY_H

#include "common/format.h"

#include <stddef.h>

#define GS_NPY_PREFIX_BYTES 12 /* these tell how long the header is */
#define GS_NPY_HEADER_MAX   65536
#define GS_NPY_FIELDS_MAX   256

struct gs_npy_field {
    uint32_t name; /* where its name is in the header, and how long it is; 0: padding */
    uint32_t name_bytes;
    uint32_t offset;
    uint32_t bytes;
    struct gs_key_type type;
    const char *no_key; /* why it cannot be a key, or NULL */
};

struct gs_npy {
    uint64_t count;
    uint32_t header_bytes; /* the records are behind these */
    uint32_t record_bytes;
    uint32_t field_count;
    bool structured; /* else field 0 is the whole record, without a name */
    struct gs_npy_field fields[GS_NPY_FIELDS_MAX];
    uint32_t digits; /* where the count is in the header, and how long it is; 0: there is none */
    uint32_t digit_count;
};

/* Do the first `size` bytes of a file begin as those of a .npy file do? */
bool gs_npy_is(const void *bytes, size_t size);

/* The length of the header, from its first GS_NPY_PREFIX_BYTES bytes. */
enum gs_status gs_npy_header_bytes(const void *bytes, size_t size, const char *name,
                                   uint32_t *header_bytes, struct gs_error *err);

/* Parse a header. `size` bytes of the file are there: at least the header, if the file is sound. */
enum gs_status gs_npy_parse(struct gs_npy *npy, const void *bytes, size_t size, const char *name,
                            struct gs_error *err);

/* Is the file exactly as long as its header says? */
enum gs_status gs_npy_check_size(const struct gs_npy *npy, uint64_t file_bytes, const char *name,
                                 struct gs_error *err);

/* The format of the records, with keys by name: "FIELD", or "FIELD:r" for a descending one. Without
 * any, all fields in their order, as numpy compares. header is the text that was parsed. */
enum gs_status gs_npy_format(struct gs_format *format, const struct gs_npy *npy, const void *header,
                             const char *const *keys, uint32_t key_count, const char *name,
                             struct gs_error *err);

/* Change the count of records in a header, whose length stays. */
enum gs_status gs_npy_set_count(struct gs_npy *npy, void *header, uint64_t count, const char *name,
                                struct gs_error *err);

#endif
