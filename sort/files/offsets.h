/* offsets.h -- --offsets: a second file, which says where each value of the first key begins.
 * SPDX-License-Identifier: MIT
 *
 * It follows the records on their way to the output, in order: so nothing is kept, whatever the
 * way they came there. With the values 0 to m it has m + 2 positions as u64, the last one that of
 * the end: the row pointers of a sparse matrix or a graph.
 */
#ifndef GS_OFFSETS_H
#define GS_OFFSETS_H

#include "common/files/output.h"
#include "common/formats/format.h"
#include "sort/sort.h"

#define GS_OFFSETS_MAX (((uint64_t)1 << 28) - 1) /* of values, unless the user says what it is */

struct gs_offsets {
    const char *name; /* of the file, or NULL: only max was given */
    uint64_t max;     /* of values; */
    bool fixed;       /* the user says so: then the file has all of them */
    struct gs_key_field key;
    unsigned record_bytes;
    bool opened; /* then: */
    struct gs_output output;
    uint64_t next;     /* the least value that has not come */
    uint64_t written;  /* positions in the file, */
    uint64_t *waiting; /* and those that wait, so many: */
    size_t count;
    unsigned char head[128]; /* of a .npy file */
};

/* Make *offsets, if it is NULL: free it. Then the name, or max, can be set. */
enum gs_status gs_offsets_new(struct gs_offsets **offsets, struct gs_error *err);

/* Now that the format of the records is known: does its first key count from 0 upwards? */
enum gs_status gs_offsets_prepare(struct gs_offsets *offsets, const struct gs_format *format,
                                  unsigned record_bytes, struct gs_error *err);

/* Open the file, which may not be the output; offsets may be NULL here and below. Discard it in any
 * case. */
enum gs_status gs_offsets_open(struct gs_offsets *offsets, const struct gs_output *output,
                               struct gs_error *err);

/* The output's next records, the first of which is at `position`. */
enum gs_status gs_offsets_add(struct gs_offsets *offsets, const void *records, uint64_t count,
                              uint64_t position, struct gs_error *err);

/* The output has so many records: complete the file, and give it its name. */
enum gs_status gs_offsets_publish(struct gs_offsets *offsets, uint64_t total, bool synced,
                                  struct gs_error *err);
void gs_offsets_discard(struct gs_offsets *offsets);

#endif
