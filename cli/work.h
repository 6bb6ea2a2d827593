/* work.h -- open the inputs and the output, work, publish: what -m and sorting have in common.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_WORK_H
#define GS_WORK_H

#include "cli/options.h"
#include "common/input.h"
#include "common/output.h"
#include "sort/gsort.h"

/* What a mode does between the opening and the publishing. */
struct gs_work {
    const char *verb; /* "sorted": for the message about an input that shrinks meanwhile */

    /* The inputs are open, the output is not yet; NULL: nothing to do then. */
    void (*prepare)(const struct gs_command *command, struct gs_inputs *inputs);

    /* Both are open: write the output, stats->keys_out keys, which is then proven, where --verify
     * says so, and published. */
    enum gs_status (*write)(const struct gs_command *command, struct gs_progress *progress,
                            struct gs_inputs *inputs, struct gs_output *output,
                            struct gs_stats *stats, struct gs_error *err);
};

/* The inputs as the library wants them, to be freed; those not read yet are empty. *keys is their
 * sum. */
enum gs_status gs_make_spans(const struct gs_inputs *inputs, struct gs_span **spans, uint64_t *keys,
                             struct gs_error *err);

/* Do it, and print what --stats asks for. start_ns is when the program started. The order of the
 * steps is the promise of the man page: every input and the output are opened, and refused, before
 * any work; the output appears after the last thing that can fail, but for the printing of --stats,
 * which tell of that, too. */
enum gs_status gs_work_run(const struct gs_work *work, const struct gs_command *command,
                           struct gs_progress *progress, uint64_t start_ns, struct gs_error *err);

#endif
