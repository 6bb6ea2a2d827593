/* slurp.h -- read a stream of unknown length into memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SLURP_H
#define GS_SLURP_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
