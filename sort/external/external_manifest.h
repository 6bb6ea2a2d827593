/* external_manifest.h -- which chunks are complete on disk, for another run to go on from there.
 * SPDX-License-Identifier: MIT
 *
 * The journal has an entry for the sample, by which bins are what they were, and one for each chunk
 * behind it: where it is, how many entries of each bin there are so far, and checksums of its part
 * of the input and of what was written, both by position: the order of the input counts for some.
 * Before a run goes on, both are read again, and on disk each entry must be in its bin. So an input
 * may change, files be damaged, and the journal lie: what is not as it was is done again, and
 * nothing need ever be synchronized.
 */
#ifndef GS_EXTERNAL_MANIFEST_H
#define GS_EXTERNAL_MANIFEST_H

#include "sort/external/external_level.h"
#include "sort/external/external_sorter.h"

/* The checksum of records [first, first + count) of the tiles, as gs_entries_checksum from 0 on. */
uint64_t gs_manifest_sum(const struct gs_tiles *tiles, uint64_t first, uint64_t count,
                         unsigned threads);

/* Take over the level and the chunks that an earlier run has left complete: the first *done keys of
 * the `keys` of the input, which are the first of the tiles. *level stays NULL if there is no such
 * chunk. */
enum gs_status gs_manifest_take(struct gs_external_sorter *sorter, const struct gs_tiles *tiles,
                                uint64_t keys, struct gs_level **level, uint64_t *done,
                                struct gs_error *err);

/* Begin anew, with a level by this sample. */
enum gs_status gs_manifest_begin(const struct gs_external_sorter *sorter,
                                 const struct gs_level_sample *sample, struct gs_error *err);

/* The chunk that was added last is complete. */
enum gs_status gs_manifest_add(const struct gs_external_sorter *sorter,
                               const struct gs_level *level, struct gs_error *err);

#endif
