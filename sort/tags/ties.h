/* ties.h -- put records in order whose tags' prefixes are the same.
 * SPDX-License-Identifier: MIT
 *
 * A few are sorted by comparing them. Many get new tags, from further on in their strings, behind
 * what they all share; so long common beginnings, and keys that very many records have, cost about
 * a pass over those bytes [multikey sorting: Bentley, Sedgewick, 1997].
 */
#ifndef GS_TIES_H
#define GS_TIES_H

#include "sort/tags/wide.h"

/* tags[0 .. count) are in ascending order, and no record of another bin has a prefix of theirs.
 * scratch: as gs_cache_sort takes it, and other memory than tags. */
void gs_ties_resolve(const struct gs_wide *wide, gs_key *tags, uint64_t count, gs_key *scratch);

/* The same, and keep only the first of records with the same keys. Returns how many are left. */
uint64_t gs_ties_unique(struct gs_wide *wide, gs_key *tags, uint64_t count, gs_key *scratch);

#endif
