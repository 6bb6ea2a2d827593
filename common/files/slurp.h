/* slurp.h -- read a stream of unknown length into memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SLURP_H
#define GS_SLURP_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Size of the first buffer; larger ones are worth huge pages. */
#define GS_SLURP_BYTES ((size_t)4 << 20)

/* The most bytes of one read, behind `used`: not a whole file at once, since the gate is called
 * after each read, and where it stops, there must be memory left to go on with. */
static inline size_t gs_slurp_most(uint64_t used)
{
    const uint64_t share = used / 8 < GS_SLURP_BYTES ? used / 8 : GS_SLURP_BYTES;
    const size_t least = (size_t)64 << 10;
    return share > least ? (size_t)share : least;
}

struct gs_slurp {
    char *bytes; /* pages of its own, or NULL; to be freed with gs_slurp_free */
    size_t used; /* bytes read */
    size_t room; /* bytes mapped */
};

/* Callbacks that follow the reading. */
struct gs_slurp_watch {
    /* Called before the first read and after each one with the number of bytes read so far. Any
     * status but GS_OK stops the reading; what was read stays, and fd can be read on from there. */
    enum gs_status (*gate)(void *context, uint64_t bytes, struct gs_error *err);
    /* The buffer is about to move: nobody may touch it until gate is called again. May be NULL. */
    void (*moves)(void *context);
    void *context;
};

/* Read fd to its end, behind what *slurp has already. populates: if the stream is long, another
 * thread makes pages ahead. Even on failure *slurp holds what was read, to be freed. GS_ERR_MEMORY:
 * there is no room for more; fd can be read on from there. */
enum gs_status gs_slurp_read(struct gs_slurp *slurp, int fd, const char *name, bool populates,
                             const struct gs_slurp_watch *watch, struct gs_error *err);

/* Fill *slurp with a copy of `size` bytes of memory. */
enum gs_status gs_slurp_copy(struct gs_slurp *slurp, const void *bytes, size_t size,
                             const char *name, struct gs_error *err);

/* Unmap the room that was not used. */
void gs_slurp_trim(struct gs_slurp *slurp);

void gs_slurp_free(struct gs_slurp *slurp);

#endif
