/* external_combine.h -- drop equal keys of a chunk before it is written to temporary files.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_COMBINE_H
#define GS_EXTERNAL_COMBINE_H

#include "sort/external/external_level.h"
#include "sort/external/external_sorter.h"

/* Would -u drop over a third of the keys of a chunk that was just split, by a sample? */
bool gs_combine_pays(const struct gs_external_sorter *sorter, const struct gs_level_chunk *chunk);

/* Leave one of equal keys: the chunk becomes one row, in the memory of the chunk before, which is
 * on disk, and the split's totals count what is left. */
void gs_combine_chunk(struct gs_external_sorter *sorter, struct gs_level_chunk *chunk);

#endif
