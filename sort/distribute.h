/* distribute.h -- count bins, prefix sum and scatter, chunk by chunk.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_DISTRIBUTE_H
#define GS_DISTRIBUTE_H

#include "sort/stages.h"

/* Take all keys of run to their bins by a device's stages, chunk_keys of them at a time, which open
 * has said; chunks side by side, or one after the other, as the stages want it. What nobody reads
 * again the sink is told (forget). The splitters must be known. */
enum gs_status gs_distribute(struct gs_run *run, const struct gs_stages *stages,
                             uint64_t chunk_keys, struct gs_error *err);

#endif
