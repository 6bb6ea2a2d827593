/* pipeline.h -- run one planned sort over a table of stages.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PIPELINE_H
#define GS_PIPELINE_H

#include "sort/stages.h"

/* Sort run's input into its emitter with a device's stages. run holds options, plan, tiles,
 * emitter, progress and stats; everything else is the pipeline's. */
enum gs_status gs_pipeline_run(struct gs_run *run, const struct gs_stages *stages,
                               struct gs_error *err);

#endif
