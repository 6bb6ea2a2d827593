/* external_compact.h -- equal keys in temporary files become one while more of them come.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_COMPACT_H
#define GS_EXTERNAL_COMPACT_H

#include "sort/external/external_level.h"
#include "sort/external/external_sorter.h"

/* Have temporary files grown so far that their keys should be looked at? */
bool gs_external_compacts(const struct gs_external_sorter *sorter, const struct gs_level *level);

/* Then combine them, if about half of them or more go. All chunks are complete, and the memory of
 * chunks has nothing that is needed. */
enum gs_status gs_external_compact(struct gs_external_sorter *sorter, struct gs_level *level,
                                   struct gs_error *err);

#endif
