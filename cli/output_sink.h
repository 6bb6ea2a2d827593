/* output_sink.h -- the library's sink on top of an output file.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_OUTPUT_SINK_H
#define GS_OUTPUT_SINK_H

#include "common/output.h"
#include "sort/gsort.h"

struct gs_output_sink {
    struct gs_sink sink; /* first: the library hands back a pointer to it */
    struct gs_output *output;
};

/* options->verify: what cannot be read back goes out as a stream, which the library proves. */
struct gs_output_sink gs_output_sink(struct gs_output *output, const struct gs_options *options);

/* Prove the output (options->verify), then publish it, with its time in the row "write". */
enum gs_status gs_output_finish(struct gs_output *output, const struct gs_options *options,
                                struct gs_stats *stats, struct gs_error *err);

#endif
