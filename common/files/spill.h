/* spill.h -- bytes that memory has no room for, in temporary files.
 * SPDX-License-Identifier: MIT
 *
 * Each directory has a few files, created when they are first needed. They have no name, so that
 * nothing is left however the process ends, SIGKILL included; where the file system cannot do that,
 * they are created with a name and unlinked at once; but gs_spill_reopen gives them names that
 * stay, for another process to go on. Pieces go to the directories in turn; one that has no room
 * for a piece is passed over. A piece is striped over the files of its directory, since the kernel
 * admits one writer to a file at a time, and other threads would wait (spill_room.c). What is
 * aligned to blocks is written past the page cache where that is possible and faster.
 */
#ifndef GS_SPILL_H
#define GS_SPILL_H

#include "common/files/pace.h"
#include "common/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define GS_SPILL_FILES 4

/* Bytes that go to one file before it is the next one's turn. */
#define GS_SPILL_STRIPE_BYTES ((uint64_t)1 << 20)

/* A stripe that was used before, and how much of it was ever written. */
struct gs_spill_stripe {
    uint32_t number;
    uint32_t bytes;
};

struct gs_spill_directory {
    const char *name;                        /* the caller's string */
    int fds[GS_SPILL_FILES];                 /* -1: not created yet */
    int direct_fds[GS_SPILL_FILES];          /* the same files, past the page cache, or -1 */
    atomic_bool unasked[GS_SPILL_FILES];     /* written since it was last asked for late errors */
    atomic_bool went_direct[GS_SPILL_FILES]; /* some of it was written past the page cache */
    uint64_t used;                           /* bytes that its pieces occupy: whole stripes, */
    struct gs_spill_stripe *free;            /* of which these are free again; owned */
    size_t free_count, free_room;
};

/* A directory in which files have names that stay. */
struct gs_spill_home {
    int fd;      /* open: whoever may rename the directory cannot put another one in its place */
    uint64_t id; /* tells it from others, whatever its path */
};

struct gs_spill {
    struct gs_spill_directory *directories;
    size_t count;
    size_t next;                       /* the directory whose turn it is */
    uint64_t used;                     /* bytes of all pieces, */
    uint64_t taken;                    /* without those that took the room of others, */
    uint64_t held;                     /* and of those that are not free again */
    const struct gs_spill_home *homes; /* [count], the caller's; or NULL: files have no names */
    enum gs_direct direct;
    struct gs_pace pace;
    atomic_uint_fast64_t direct_bytes; /* written past the page cache */
};

/* Where a piece is. */
struct gs_place {
    uint32_t directory; /* index of its directory */
    uint64_t offset;    /* in bytes, in all files of the directory taken together: of what is
                         * behind the first stripes if these were used before */
    struct gs_spill_stripe *stripes; /* which these are; the caller's to free, if it frees pieces */
    uint32_t reused;                 /* so many */
    uint64_t freed;                  /* of all its stripes */
};

/* The same, for who has the directories in another order. */
struct gs_spill_mark {
    uint64_t home; /* its id */
    uint64_t offset;
};

/* Creates no file yet. The strings must stay. Close with gs_spill_close. */
enum gs_status gs_spill_open(struct gs_spill *spill, const char *const *directories, size_t count,
                             enum gs_direct direct, struct gs_error *err);

/* Check that all directories together have room for `bytes`, when `elsewhere` more bytes will be
 * written to the file system `device` meanwhile; GS_ERR_OUTPUT if not. Creates the files. */
enum gs_status gs_spill_check(struct gs_spill *spill, uint64_t bytes, dev_t device,
                              uint64_t elsewhere, struct gs_error *err);

/* Find a place for a piece of `bytes` bytes, and allocate its space where that helps. GS_ERR_OUTPUT
 * if no directory has room. Not from several threads at once. */
enum gs_status gs_spill_place(struct gs_spill *spill, uint64_t bytes, struct gs_place *place,
                              struct gs_error *err);

/* Of a piece of `bytes` bytes, those before `before` are read no more: others may take their
 * stripes. The same threads. */
void gs_spill_free(struct gs_spill *spill, struct gs_place *place, uint64_t before, uint64_t bytes);

/* Write or read bytes [from, from + bytes) of a piece. Several threads may do so at once. What was
 * written but could not be kept is never read: that is GS_ERR_OUTPUT. */
enum gs_status gs_spill_write(struct gs_spill *spill, const struct gs_place *place, uint64_t from,
                              const void *data, size_t bytes, struct gs_error *err);
enum gs_status gs_spill_read(const struct gs_spill *spill, const struct gs_place *place,
                             uint64_t from, void *data, size_t bytes, struct gs_error *err);

/* Bytes [from, from + bytes) of a piece will be read soon: start reading ahead. */
void gs_spill_announce(const struct gs_spill *spill, const struct gs_place *place, uint64_t from,
                       uint64_t bytes);

/* Before the first piece: give the files names, or open those that are there from another process;
 * then its pieces can be read, and those that are to stay, in the order in which they were placed,
 * are kept. At last trim the files behind them. */
enum gs_status gs_spill_reopen(struct gs_spill *spill, const struct gs_spill_home *homes,
                               struct gs_error *err);
struct gs_spill_mark gs_spill_mark(const struct gs_spill *spill, const struct gs_place *place);

/* Find the marked place; false unless it is the next one in a directory of this spill. */
bool gs_spill_find(const struct gs_spill *spill, const struct gs_spill_mark *mark,
                   struct gs_place *place);
void gs_spill_keep(struct gs_spill *spill, const struct gs_place *place, uint64_t bytes);
void gs_spill_trim(const struct gs_spill *spill);

void gs_spill_close(struct gs_spill *spill);

/* Remove the files with names from an open directory. */
void gs_spill_remove(int dirfd);

/* Create an empty file without a name in the directory, open for reading and writing. Returns its
 * descriptor, which the caller closes, or -1 with errno set. */
int gs_spill_create(const char *directory);

/* Of spill.c and spill_room.c: a range of bytes in one of the files. */
struct gs_stripe {
    int file; /* its index */
    int fd;
    uint64_t offset;
    uint64_t bytes;
};

/* The part of a piece's bytes [from, from + bytes) that lies in the first stripe. */
struct gs_stripe gs_stripe_at(const struct gs_spill_directory *directory,
                              const struct gs_place *place, uint64_t from, uint64_t bytes);

/* Create or open the files of a directory, if they are not yet. */
enum gs_status gs_spill_make_files(const struct gs_spill *spill,
                                   struct gs_spill_directory *directory, struct gs_error *err);

#endif
