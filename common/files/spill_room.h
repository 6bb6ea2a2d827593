/* spill_room.h -- where the pieces of a spill lie: in stripes of its files.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SPILL_ROOM_H
#define GS_SPILL_ROOM_H

#include "common/files/spill.h"

/* A range of bytes in one of the files. */
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
