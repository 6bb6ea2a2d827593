/* shared_output.h -- one output file that all ranks write to.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SHARED_OUTPUT_H
#define GS_SHARED_OUTPUT_H

#include "common/files/output.h"
#include "sort/cluster.h"

/* Open it as gs_output_open does. Rank 0 makes a temporary file with a name, and the others open
 * that; a signal to any of them removes it. Collective. */
enum gs_status gs_shared_output_open(const struct gs_cluster *cluster, struct gs_output *output,
                                     const char *path, struct gs_error *err);

/* Rank 0: reserve as gs_output_reserve does, and give the file its length, for others map it. */
enum gs_status gs_shared_output_reserve(struct gs_output *output, uint64_t bytes,
                                        struct gs_error *err);

/* All ranks have written what they had to: learn what failed, and close it on all but rank 0, which
 * gives it its length and its name. Collective. */
enum gs_status gs_shared_output_publish(const struct gs_cluster *cluster, struct gs_output *output,
                                        uint64_t bytes, struct gs_error *err);

#endif
