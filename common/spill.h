/* spill.h -- bytes that memory has no room for, in temporary files without a name.
 * SPDX-License-Identifier: MIT
 *
 * A few files in each directory, made when they are first needed, without a name, so that no end of
 * the process, SIGKILL included, leaves one; where the file system cannot do that, they have one
 * for the moment until it is removed. Pieces go to the directories in turn; one that has no room
 * for a piece is passed over. A piece is striped over the files of its directory: a file has one
 * writer at a time, and the others would wait for it.
 */
#ifndef GS_SPILL_H
#define GS_SPILL_H

#include "common/status.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define GS_SPILL_FILES 4

/* Bytes in one file before the next one's turn. */
#define GS_SPILL_STRIPE_BYTES ((uint64_t)1 << 20)

struct gs_spill_directory {
    const char *name;        /* the caller's string */
    int fds[GS_SPILL_FILES]; /* -1: not made yet */
    uint64_t used;           /* bytes that pieces have: whole stripes */
};

struct gs_spill {
    struct gs_spill_directory *directories;
    size_t count;
    size_t next;   /* whose turn it is */
    uint64_t used; /* bytes of all pieces */
};

/* Where a piece is. */
struct gs_place {
    uint32_t directory;
    uint64_t offset; /* in bytes, of all its files together */
};

/* Nothing is made yet. The strings must stay. */
enum gs_status gs_spill_open(struct gs_spill *spill, const char *const *directories, size_t count,
                             struct gs_error *err);

/* Have the directories room for `bytes` together, when `elsewhere` bytes more will be written to
 * the file system `device` meanwhile? */
enum gs_status gs_spill_check(struct gs_spill *spill, uint64_t bytes, dev_t device,
                              uint64_t elsewhere, struct gs_error *err);

/* Find a place for a piece of `bytes` bytes, and have them allocated where that helps. */
enum gs_status gs_spill_place(struct gs_spill *spill, uint64_t bytes, struct gs_place *place,
                              struct gs_error *err);

/* Write or read bytes [from, from + bytes) of a piece. Several threads may do so at once. */
enum gs_status gs_spill_write(const struct gs_spill *spill, const struct gs_place *place,
                              uint64_t from, const void *data, size_t bytes, struct gs_error *err);
enum gs_status gs_spill_read(const struct gs_spill *spill, const struct gs_place *place,
                             uint64_t from, void *data, size_t bytes, struct gs_error *err);

/* Bytes [from, from + bytes) of a piece will be read soon. */
void gs_spill_announce(const struct gs_spill *spill, const struct gs_place *place, uint64_t from,
                       uint64_t bytes);

void gs_spill_close(struct gs_spill *spill);

/* A new empty file in the directory, open for reading and writing and without a name; -1 with errno
 * set when there can be none. */
int gs_spill_create(const char *directory);

#endif
