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
    char *bytes; /* pages of its own, or NULL */
    size_t used;
    size_t room;
};

/* Who follows the reading. */
struct gs_slurp_watch {
    /* Asked before the first byte and after each read with what is in memory then: any status but
     * GS_OK ends the reading; what was read stays, and fd can be read on. */
    enum gs_status (*gate)(void *context, uint64_t bytes, struct gs_error *err);
    /* What was read is about to move: nobody is to touch it until gate is asked again. May be NULL.
     */
    void (*moves)(void *context);
    void *context;
};

/* Read fd to its end; populates: another thread makes pages ahead, if it is long. Also on failure
 * *slurp holds what was read, to be freed. */
enum gs_status gs_slurp_read(struct gs_slurp *slurp, int fd, const char *name, bool populates,
                             const struct gs_slurp_watch *watch, struct gs_error *err);

/* Copy `size` bytes that lie in memory. */
enum gs_status gs_slurp_copy(struct gs_slurp *slurp, const void *bytes, size_t size,
                             const char *name, struct gs_error *err);

/* Give back the room that was not used. */
void gs_slurp_trim(struct gs_slurp *slurp);

void gs_slurp_free(struct gs_slurp *slurp);

#endif
