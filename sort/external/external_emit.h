/* external_emit.h -- load bin after bin from disk, sort it in memory and write it to the output.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_EMIT_H
#define GS_EXTERNAL_EMIT_H

#include "sort/external/external_level.h"
#include "sort/external/external_sorter.h"

/* Sort all bins of a level into the output. */
enum gs_status gs_external_emit(struct gs_external_sorter *sorter, const struct gs_level *level,
                                struct gs_error *err);

#endif
