/* job.c -- do a call's work in a thread of its own, while the caller's looks after it.
 * SPDX-License-Identifier: MIT
 */
#include "sort/library/job.h"

/* Of the stack, for small work: 124 KiB are a bin's tables. */
#define STACK_BYTES_SMALL ((size_t)256 << 10)

/* Is there enough of the calling thread's stack? (Not if it runs on another one.) */
static bool stack_suffices(void)
{
    static _Thread_local const char *begin, *end;
    const char here = 0;
    if (end == NULL) {
        pthread_attr_t attributes;
        void *stack;
        size_t bytes;
        if (pthread_getattr_np(pthread_self(), &attributes) != 0)
            return false;
        if (pthread_attr_getstack(&attributes, &stack, &bytes) == 0) {
            begin = stack;
            end = begin + bytes;
        }
        pthread_attr_destroy(&attributes);
    }
    return &here > begin && &here < end && (size_t)(&here - begin) >= STACK_BYTES_SMALL;
}

enum gs_status gs_job_run(const struct gsort_options *options, bool small, gs_job_work *work,
                          void *context, struct gs_error *err)
{
    struct gs_handover job;
    const void *none;
    uint64_t count;
    int before;
    gs_handover_init(&job, options, work, context);
    gs_handover_tell(&job); /* who cancels at once is heard, however short the work is */
    if (small && stack_suffices())
        return work(context, &job.progress, err);
    enum gs_status st = gs_handover_start(&job, err);
    if (st != GS_OK)
        return st;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    st = gs_handover_take(&job, &none, &count, err);
    gs_handover_close(&job);
    pthread_setcancelstate(before, NULL);
    return st;
}
