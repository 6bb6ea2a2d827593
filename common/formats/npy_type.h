/* npy_type.h -- the type of a .npy file's records: what 'descr' in its header says.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_NPY_TYPE_H
#define GS_NPY_TYPE_H

#include "common/formats/format.h"
#include "common/formats/npy_literal.h"

struct gs_npy_field {
    const char *name; /* in UTF-8 */
    uint32_t name_bytes;
    bool padding;    /* it has no name, and is no key */
    uint32_t offset; /* in the record, or in the structure that it is in */
    uint32_t bytes;
    struct gs_key_type type;
    const char *no_key;          /* why it cannot be a key, or NULL */
    struct gs_npy_field *fields; /* of a structure, else NULL */
    uint32_t field_count;
};

struct gs_npy_type {
    uint32_t record_bytes;
    bool structured;             /* else field 0 is the whole record, without a name */
    struct gs_npy_field *fields; /* of the outermost structure */
    uint32_t field_count;
    uint32_t columns;   /* of a two-dimensional array: the fields are its columns, */
    char *column_names; /* and called by their numbers; else 0 */
    char *text;         /* all of the type: the same for the same type only */
    uint32_t text_bytes;
};

/* Read a type from the literal `descr`; names of fields point into the strings of `literals`. name
 * is the file's, for messages. Free it, even after a failure. */
enum gs_status gs_npy_type_read(struct gs_npy_type *type, const struct gs_literals *literals,
                                uint32_t descr, const char *name, struct gs_error *err);
/* Make records of rows of so many values of a type that was read. fortran: they are not in a row.
 */
enum gs_status gs_npy_rows_make(struct gs_npy_type *type, uint64_t columns, bool fortran,
                                const char *name, struct gs_error *err);
void gs_npy_type_free(struct gs_npy_type *type);

#endif
