/* job.c -- do a call's work in a thread of its own, while the caller's looks after it.
 * SPDX-License-Identifier: MIT
 */
#include "sort/library/job.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

/* Of the new thread, and of one that does small work itself: 124 KiB are a bin's tables. */
#define STACK_BYTES       ((size_t)1 << 20)
#define STACK_BYTES_SMALL ((size_t)256 << 10)

/* How often the callback is called. */
#define PROGRESS_NS 100000000

struct job {
    gs_job_work *work;
    void *context;
    struct gs_progress progress;
    struct gs_error *err;
    enum gs_status st;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool done; /* guarded by the mutex */
};

static void *run_job(void *context)
{
    struct job *job = context;
    job->st = job->work(job->context, &job->progress, job->err);
    pthread_mutex_lock(&job->mutex);
    job->done = true;
    pthread_cond_signal(&job->changed);
    pthread_mutex_unlock(&job->mutex);
    return NULL;
}

/* It inherits a mask in which all signals are blocked: they are for the caller's threads, whose
 * handlers may need another stack. */
int gs_job_thread(pthread_t *thread, void *(*work)(void *), void *context)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return error;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (error == 0)
        error = pthread_create(thread, &attributes, work, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

/* Tell the caller how far it is, and cancel it if the caller says so. */
static void tell_progress(struct job *job, const struct gsort_options *options)
{
    const struct gsort_progress progress = {.size = sizeof progress,
                                            .phase = atomic_load(&job->progress.phase),
                                            .done = atomic_load(&job->progress.done),
                                            .total = atomic_load(&job->progress.total)};
    if (!atomic_load(&job->progress.cancelled) && options->progress(options->context, &progress))
        atomic_store(&job->progress.cancelled, true);
}

/* Wait for its end. The callback is called without the mutex. */
static void await_job(struct job *job, const struct gsort_options *options)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    pthread_mutex_lock(&job->mutex);
    while (!job->done) {
        if (options->progress == NULL) {
            pthread_cond_wait(&job->changed, &job->mutex);
            continue;
        }
        until.tv_nsec += PROGRESS_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        while (!job->done && pthread_cond_clockwait(&job->changed, &job->mutex, CLOCK_MONOTONIC,
                                                    &until) != ETIMEDOUT) {
        }
        pthread_mutex_unlock(&job->mutex);
        tell_progress(job, options);
        pthread_mutex_lock(&job->mutex);
    }
    pthread_mutex_unlock(&job->mutex);
}

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
    struct job job = {.work = work,
                      .context = context,
                      .err = err,
                      .mutex = PTHREAD_MUTEX_INITIALIZER,
                      .changed = PTHREAD_COND_INITIALIZER};
    pthread_t thread;
    int before;
    if (options->progress != NULL) /* who cancels at once is heard, however short the work is */
        tell_progress(&job, options);
    if (small && stack_suffices())
        return work(context, &job.progress, err);
    const int error = gs_job_thread(&thread, run_job, &job);
    if (error != 0)
        return gs_fail(err, GS_ERR_MEMORY, error, "a thread to sort in");
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    await_job(&job, options);
    pthread_join(thread, NULL);
    pthread_setcancelstate(before, NULL);
    return job.st;
}
