/* external_values.h -- sort records of one or two bytes, of unknown number, in little memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_VALUES_H
#define GS_EXTERNAL_VALUES_H

#include "sort/types/external_source.h"

/* As gs_sort_external: values are counted as the records come, so there are no temporary files. */
enum gs_status gs_external_values(const struct gs_options *options,
                                  const struct gs_external *source, struct gs_sink *sink,
                                  struct gs_progress *progress, struct gs_stats *stats,
                                  struct gs_error *err);

#endif
