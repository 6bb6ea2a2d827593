/* combined_plan.h -- does it pay to combine chunks before they are merged, and how large are these?
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_COMBINED_PLAN_H
#define GS_COMBINED_PLAN_H

#include "sort/files/task.h"

/* Parts of the memory: of each of two rooms for runs, and of buffers of a merge. While chunks are
 * sorted, all but one room is theirs. */
#define GS_COMBINED_ROOM_SHARE  3
#define GS_COMBINED_MERGE_SHARE 12

/* A chunk has so many records at least, however much memory the input holds. */
#define GS_COMBINED_CHUNK_MIN 4096

/* Does memory hold all that is combined? By a sample; if that errs, temporary files do. */
bool gs_combined_sort_pays(const struct gs_task *task, const struct gs_external *source);

/* The sort of a chunk, by the CPU: nothing of it concerns the whole output. */
struct gs_options gs_combined_options(const struct gs_options *options, uint64_t memory_bytes);

/* Records of a chunk that fit, with so much of the input in memory. */
uint64_t gs_combined_chunk(const struct gs_options *options, uint64_t memory_bytes,
                           uint64_t held_bytes);

#endif
