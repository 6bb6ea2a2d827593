/* external_group.h -- sort bins that fit in memory together, and write them out.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_GROUP_H
#define GS_EXTERNAL_GROUP_H

#include "sort/external/external_level.h"
#include "sort/external/external_sorter.h"

/* As sort of struct gs_entries, of keys. */
enum gs_status gs_external_sort_group(struct gs_external_sorter *sorter,
                                      const struct gs_level *level, uint32_t low, uint32_t high,
                                      uint64_t count, struct gs_error *err);

#endif
