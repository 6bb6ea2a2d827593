/* external_manifest.h -- which chunks are complete on disk, for another run to go on from there.
 * SPDX-License-Identifier: MIT
 *
 * The journal has an entry for the splitters and one for each chunk behind it. Chunks are read
 * again and compared with their checksums before a run goes on: so nothing need ever be
 * synchronized, and what a power failure has taken is just done again.
 */
#ifndef GS_EXTERNAL_MANIFEST_H
#define GS_EXTERNAL_MANIFEST_H

#include "sort/external/external_level.h"
#include "sort/external/external_sorter.h"

/* Take over the level and the chunks that an earlier run has left complete: the first *done keys of
 * the `keys` of the input. *level stays NULL if there is no such chunk. */
enum gs_status gs_manifest_take(struct gs_external_sorter *sorter, uint64_t keys,
                                struct gs_level **level, uint64_t *done, struct gs_error *err);

/* Begin anew, with this level. */
enum gs_status gs_manifest_begin(const struct gs_external_sorter *sorter,
                                 const struct gs_level *level, struct gs_error *err);

/* The chunk that was added last, with this checksum, is complete. */
enum gs_status gs_manifest_add(const struct gs_external_sorter *sorter,
                               const struct gs_level *level, uint64_t checksum,
                               struct gs_error *err);

#endif
