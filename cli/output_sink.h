/* output_sink.h -- the library's sink on top of an output file.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_OUTPUT_SINK_H
#define GS_OUTPUT_SINK_H

#include "common/input.h"
#include "common/output.h"
#include "sort/gsort.h"

struct gs_output_sink {
    struct gs_sink sink; /* first: the library hands back a pointer to it */
    struct gs_output *output;
    const struct gs_inputs *inputs;
    atomic_flag begun;     /* something was written */
    int direct_fd;         /* see direct.h, or -1 */
    unsigned threads;      /* that make pages, beside those that sort, */
    unsigned idle_threads; /* or while all others wait */
};

/* options->verify: what cannot be read back goes out as a stream, which the library proves.
 * inputs, if not NULL, are what one gs_sort reads: a GPU has done with them when it writes. Close
 * when all is written. */
struct gs_output_sink gs_output_sink(struct gs_output *output, const struct gs_options *options,
                                     const struct gs_inputs *inputs);
void gs_output_sink_close(struct gs_output_sink *to);

#endif
