/* record_sample.h -- draw a sample of records that are in memory or mapped.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_RECORD_SAMPLE_H
#define GS_RECORD_SAMPLE_H

#include "sort/types/types.h"

/* Called with sample i: a record, and its position among all of the spans. */
typedef void gs_sample_take(void *context, uint64_t i, const char *record, uint64_t position);

/* Draw `count` of the `keys` records of the spans, at positions that ascend. Pages are asked for
 * many at a time: a disk then reads them side by side. */
void gs_sample_draw(const struct gs_span *spans, size_t record_bytes, uint64_t keys, uint64_t count,
                    gs_sample_take *take, void *context);

#endif
