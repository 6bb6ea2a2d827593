/* external_distribute.h -- distribute the input, or a large bin, to bins on disk.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_DISTRIBUTE_H
#define GS_EXTERNAL_DISTRIBUTE_H

#include "sort/external/external_level.h"
#include "sort/external/external_sorter.h"

/* Distribute the whole input. The caller frees *level, also on failure. */
enum gs_status gs_external_split_input(struct gs_external_sorter *sorter, struct gs_level **level,
                                       struct gs_error *err);

/* Distribute one bin of a level again; the strings of its records are the same up to `shared`. The
 * caller frees *level, also on failure. */
enum gs_status gs_external_split_bin(struct gs_external_sorter *sorter, const struct gs_level *from,
                                     uint32_t bin, uint32_t shared, struct gs_level **level,
                                     struct gs_error *err);

#endif
