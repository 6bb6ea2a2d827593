/* npy.h -- the header of a .npy file, numpy's format for one array: versions 1.0, 2.0 and 3.0.
 * SPDX-License-Identifier: MIT
 *
 * Arrays of one dimension, or of a single value, whose elements are of a plain type or structures
 * of such, and arrays of two dimensions of a plain type, whose rows are the records: what
 * numpy.load takes, and no other. Types are written as numpy writes them ("<f8"), a number of
 * records is not negative, nothing is behind the records. Fields may be of any type that has a
 * fixed size: those that are no keys move with the others. name is the file's, for messages; errors
 * are GS_ERR_INPUT.
 */
#ifndef GS_NPY_H
#define GS_NPY_H

#include "common/formats/format.h"
#include "common/formats/npy_type.h"

#include <stddef.h>

#define GS_NPY_MAGIC_BYTES  6  /* these tell that it is one */
#define GS_NPY_PREFIX_BYTES 12 /* and these, how long the header is: */
#define GS_NPY_HEADER_MAX   ((uint32_t)4 << 20)

struct gs_npy {
    uint64_t count;
    uint32_t header_bytes;     /* the records are behind these */
    struct gs_npy_type type;   /* of its records, */
    char *strings;             /* and what names of fields are in */
    uint32_t descr, descr_end; /* where its type is in the header, */
    uint32_t shape, shape_end; /* and the shape; */
    uint32_t text_end;         /* the dictionary ends here, and what follows fills up, */
    bool newline;              /* with a newline at its end */
    bool table;                /* it is none, but as one (common/formats/table.h) */
};

/* Do the first `size` bytes of a file begin as those of a .npy file do? */
bool gs_npy_is(const void *bytes, size_t size);

/* The length of the header, from its first GS_NPY_PREFIX_BYTES bytes. */
enum gs_status gs_npy_header_bytes(const void *bytes, size_t size, const char *name,
                                   uint32_t *header_bytes, struct gs_error *err);

/* Parse a header. `size` bytes of the file are there: at least the header, if the file is sound.
 * Free on success; after a failure, there is nothing to free. */
enum gs_status gs_npy_parse(struct gs_npy *npy, const void *bytes, size_t size, const char *name,
                            struct gs_error *err);
void gs_npy_free(struct gs_npy *npy);

/* Are the records of the same type, with fields of the same names, titles and shapes? */
bool gs_npy_agree(const struct gs_npy *a, const struct gs_npy *b);

/* Is the file exactly as long as its header says? */
enum gs_status gs_npy_check_size(const struct gs_npy *npy, uint64_t file_bytes, const char *name,
                                 struct gs_error *err);

/* The format of the records, with keys by name: "FIELD", or "FIELD:r" for a descending one. Without
 * any, all fields in their order, as numpy compares. */
enum gs_status gs_npy_format(struct gs_format *format, const struct gs_npy *npy,
                             const char *const *keys, uint32_t key_count, const char *name,
                             struct gs_error *err);

/* Make the header that has one more field, an unsigned integer, behind the others, where header is
 * what was parsed. Free *bytes and, on success, *made. */
enum gs_status gs_npy_add_field(struct gs_npy *made, unsigned char **bytes,
                                const struct gs_npy *npy, const void *header, const char *field,
                                const struct gs_key_type *type, const char *name,
                                struct gs_error *err);

/* The length that this header has with a count of up to `most`: its own, if that has room. */
uint32_t gs_npy_room(const struct gs_npy *npy, uint64_t most);

/* Write the header with another count, `bytes` long: at least gs_npy_room of that. header is what
 * was parsed. */
void gs_npy_write(const struct gs_npy *npy, const void *header, uint64_t count, void *to,
                  uint32_t bytes);

/* Write the header of an array of so many unsigned integers of 4 or 8 bytes, as numpy does. */
#define GS_NPY_INTEGERS_HEAD 128
void gs_npy_write_integers(void *to, unsigned integer_bytes, uint64_t count);

#endif
