/* keeps_most.h -- estimate whether most keys stay if duplicates are left out.
 * SPDX-License-Identifier: MIT
 *
 * If p pairs of m sampled keys are equal, then about p n^2 / m^2 pairs of all n keys are, and at
 * most as many keys are left out. Keys whose value occurs more than twice in the sample all count
 * as left out, and not by their pairs, which would stand for far more keys.
 */
#ifndef GS_KEEPS_MOST_H
#define GS_KEEPS_MOST_H

#include "sort/keys/tiles.h"

/* True if, by a sample that `threads` threads draw, at least half of the keys will stay; false also
 * for few keys or if there is no memory. The sample takes several neighbouring keys at each place:
 * touching a page takes longer than reading them. */
bool gs_keeps_most(const struct gs_tiles *tiles, unsigned threads);

#endif
