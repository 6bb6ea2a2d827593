/* work.h -- what sorting and -m have in common: open inputs and output, work, publish.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_WORK_H
#define GS_WORK_H

#include "sort/files/task.h"
#include "common/files/input.h"
#include "common/files/output.h"
#include "sort/sort.h"

/* What a mode does between opening and publishing. */
struct gs_work {
    const char *verb; /* "sorted", say: for the message about an input that shrinks meanwhile */

    /* Called when the inputs are open, but not yet the output. May be NULL. */
    void (*prepare)(const struct gs_task *task, struct gs_inputs *inputs);

    /* Called when both are open: write the output and set stats->keys_out, its number of keys. It
     * is then verified, if --verify says so, and published. */
    enum gs_status (*write)(const struct gs_task *task, struct gs_progress *progress,
                            struct gs_inputs *inputs, struct gs_output *output,
                            struct gs_stats *stats, struct gs_error *err);
};

/* Make the library's spans of the inputs, one each; free *spans. Inputs not read yet are empty.
 * *keys is the number of keys in all of them. */
enum gs_status gs_make_spans(const struct gs_inputs *inputs, unsigned record_bytes,
                             struct gs_span **spans, uint64_t *keys, struct gs_error *err);

/* Put in front of the output what is in front of the first input's records; then, when all else is
 * written, write that: of a .npy file, with the number of keys. more: there are other files besides
 * these inputs. */
enum gs_status gs_work_set_head(const struct gs_task *task, const struct gs_inputs *inputs,
                                bool more, struct gs_output *output, struct gs_error *err);
enum gs_status gs_work_write_head(struct gs_task *task, struct gs_output *output, uint64_t keys,
                                  struct gs_error *err);

/* Do the work of a mode. The order of steps keeps the promise of the man page: every input and the
 * output is opened, or refused, before any work; the output appears after the last step that can
 * fail. */
enum gs_status gs_work_run(const struct gs_work *work, struct gs_task *task,
                           struct gs_progress *progress, struct gs_stats *stats,
                           struct gs_error *err);

#endif
