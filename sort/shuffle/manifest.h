/* manifest.h -- which chunks of a shuffle are complete on disk, for another run to go on.
 * SPDX-License-Identifier: MIT
 *
 * An entry of the journal says where a chunk is, and how many records it has: no more, since the
 * seed and the input say what these must be, one by one. So an input may change, files be damaged,
 * and the journal lie: what is not as it would be now is done again.
 */
#ifndef GS_MANIFEST_H
#define GS_MANIFEST_H

#include "sort/shuffle/dealing.h"

#include "common/files/journal.h"
#include "common/files/spill.h"

/* The chunk at `place` is complete: `count` records. */
enum gs_status gs_shuffle_kept(struct gs_journal *journal, const struct gs_spill *spill,
                               const struct gs_place *place, uint64_t count, struct gs_error *err);

/* Take over the next chunk, of deal->count records of the input from input->from on, which are
 * behind `head` bytes of its place; deal->starts are theirs. False if there is none that holds what
 * would be dealt. */
bool gs_shuffle_take(struct gs_journal *journal, struct gs_spill *spill, uint64_t head,
                     uint64_t seed, const struct gs_shuffle_input *input, struct gs_dealing *deal,
                     struct gs_place *place);

#endif
