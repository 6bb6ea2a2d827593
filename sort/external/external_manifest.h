/* external_manifest.h -- which chunks are complete on disk, for another run to go on from there.
 * SPDX-License-Identifier: MIT
 *
 * The journal has an entry for the splitters and one for each chunk behind it: where it is, and how
 * many keys of each bin there are so far. Nothing that it says is trusted. Before a run goes on,
 * the chunk and its part of the input are read again: the same keys must be in both, and on disk
 * each in its bin. So an input may change, files be damaged, and the journal lie: what is not
 * proven is done again; nothing need ever be synchronized; and the first run pays for none of it.
 */
#ifndef GS_EXTERNAL_MANIFEST_H
#define GS_EXTERNAL_MANIFEST_H

#include "sort/external/external_level.h"
#include "sort/external/external_sorter.h"

/* Take over the level and the chunks that an earlier run has left complete: the first *done keys of
 * the `keys` of the input, which are the first of the tiles. *level stays NULL if there is no such
 * chunk. */
enum gs_status gs_manifest_take(struct gs_external_sorter *sorter, const struct gs_tiles *tiles,
                                uint64_t keys, struct gs_level **level, uint64_t *done,
                                struct gs_error *err);

/* Begin anew, with this level. */
enum gs_status gs_manifest_begin(const struct gs_external_sorter *sorter,
                                 const struct gs_level *level, struct gs_error *err);

/* The chunk that was added last is complete. */
enum gs_status gs_manifest_add(const struct gs_external_sorter *sorter,
                               const struct gs_level *level, struct gs_error *err);

#endif
