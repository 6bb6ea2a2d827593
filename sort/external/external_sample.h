/* external_sample.h -- sample what is split, and open the level of its bins.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_SAMPLE_H
#define GS_EXTERNAL_SAMPLE_H

#include "sort/external/external_level.h"
#include "sort/external/external_sorter.h"

/* Sample the keys in memory and choose the splitters; check that the disk has room. The first
 * `held` keys of the tiles are the caller's. */
enum gs_status gs_external_open_level(struct gs_external_sorter *sorter,
                                      const struct gs_tiles *tiles, uint64_t held,
                                      struct gs_level **level, struct gs_error *err);

/* The same for a bin of another level; the strings of its records are the same up to `shared`. */
enum gs_status gs_external_open_bin(struct gs_external_sorter *sorter, const struct gs_level *from,
                                    uint32_t bin, uint32_t shared, struct gs_level **level,
                                    struct gs_error *err);

#endif
