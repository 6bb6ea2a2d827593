/* keeps_most.h -- would most keys stay if duplicates were left out?
 * SPDX-License-Identifier: MIT
 *
 * Of m sampled keys, let p be those pairs of them that are equal. Then about p n^2 / m^2 pairs of
 * all n keys are, and at most as many keys are left out. Keys whose value the sample has more than
 * twice are counted as left out, all of them, since their pairs would stand for far more.
 */
#ifndef GS_KEEPS_MOST_H
#define GS_KEEPS_MOST_H

#include "sort/tiles.h"

/* True if at least half of the keys will stay, by a sample, which so many threads draw; false also
 * of few keys. Keys that lie beside each other are drawn together: to touch a page takes longer
 * than to read what is wanted of it. */
bool gs_keeps_most(const struct gs_tiles *tiles, unsigned threads);

#endif
