/* job.h -- do a call's work in a thread of its own, while the caller's looks after it.
 * SPDX-License-Identifier: MIT
 *
 * The caller's stack may be too small for a sort, and OpenMP keeps a team of threads for each
 * thread that has begun one: a forked child would wait for threads that it does not have. So the
 * work is done in a new thread, whose team ends with it.
 */
#ifndef GS_JOB_H
#define GS_JOB_H

#include "sort/library/handover.h"

/* Do the work; small: without another thread if the caller's stack is large enough, since starting
 * one would take longer. */
enum gs_status gs_job_run(const struct gsort_options *options, bool small, gs_job_work *work,
                          void *context, struct gs_error *err);

#endif
