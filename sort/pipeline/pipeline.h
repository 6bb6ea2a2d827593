/* pipeline.h -- run one planned sort over a table of stages.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PIPELINE_H
#define GS_PIPELINE_H

#include "sort/run/stages.h"

/* Sort run's input into its emitter with a device's stages. The caller has set run's options, plan,
 * tiles, emitter, progress and stats; all other fields are the pipeline's. */
enum gs_status gs_pipeline_run(struct gs_run *run, const struct gs_stages *stages,
                               struct gs_error *err);

#endif
