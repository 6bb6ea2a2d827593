/* each_record.h -- records of the inputs, shown in their order, for what reads them once.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EACH_RECORD_H
#define GS_EACH_RECORD_H

#include "common/files/input.h"
#include "sort/sort.h"

/* Look at the next `count` records, of which the first is record `index` of its input. Returns
 * whether to go on. */
typedef bool gs_each_look(void *context, const struct gs_input *input, uint64_t index,
                          const char *records, uint64_t count);

/* Show all records, one input after the other, in pieces of about piece_bytes; 0: of a pipe,
 * whatever has come. `phase` is the name of that in *progress. */
enum gs_status gs_each_record(const struct gs_inputs *inputs, unsigned record_bytes,
                              size_t piece_bytes, gs_each_look *look, void *context,
                              const char *phase, struct gs_progress *progress,
                              struct gs_error *err);

#endif
