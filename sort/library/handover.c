/* handover.c -- a thread that sorts, which the caller's calls feed with records and take batches
 * from.
 * SPDX-License-Identifier: MIT
 */
#include "sort/library/handover.h"

#include <signal.h>
#include <string.h>
#include <time.h>

/* How often the callback is called. */
#define PROGRESS_NS 100000000

#define STACK_BYTES ((size_t)1 << 20) /* of the thread */

static void *run_work(void *context)
{
    struct gs_handover *handover = context;
    handover->st = handover->work(handover->context, &handover->progress, &handover->err);
    pthread_mutex_lock(&handover->mutex);
    handover->done = true;
    pthread_cond_signal(&handover->to_caller);
    pthread_mutex_unlock(&handover->mutex);
    return NULL;
}

/* It inherits a mask in which all signals are blocked: they are for the caller's threads, whose
 * handlers may need another stack. */
static int start_thread(pthread_t *thread, void *(*work)(void *), void *context)
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

void gs_handover_init(struct gs_handover *handover, const struct gsort_options *options,
                      gs_job_work *work, void *context)
{
    *handover = (struct gs_handover){.options = options,
                                     .work = work,
                                     .context = context,
                                     .mutex = PTHREAD_MUTEX_INITIALIZER,
                                     .to_thread = PTHREAD_COND_INITIALIZER,
                                     .to_caller = PTHREAD_COND_INITIALIZER};
}

enum gs_status gs_handover_start(struct gs_handover *handover, struct gs_error *err)
{
    const int error = start_thread(&handover->thread, run_work, handover);
    return error == 0 ? GS_OK : gs_fail(err, GS_ERR_MEMORY, error, "a thread to sort in");
}

static void cancel(struct gs_handover *handover)
{
    pthread_mutex_lock(&handover->mutex);
    atomic_store(&handover->progress.cancelled, true);
    pthread_cond_signal(&handover->to_thread);
    pthread_mutex_unlock(&handover->mutex);
}

void gs_handover_tell(struct gs_handover *handover)
{
    const struct gsort_options *options = handover->options;
    const struct gsort_progress progress = {.size = sizeof progress,
                                            .phase = atomic_load(&handover->progress.phase),
                                            .done = atomic_load(&handover->progress.done),
                                            .total = atomic_load(&handover->progress.total)};
    if (options->progress != NULL && !atomic_load(&handover->progress.cancelled) &&
        options->progress(options->context, &progress))
        cancel(handover);
}

/* Wait for the thread to do something. The callback is called without the mutex. */
static void await_thread(struct gs_handover *handover)
{
    struct timespec until;
    if (handover->options->progress == NULL) {
        pthread_cond_wait(&handover->to_caller, &handover->mutex);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += PROGRESS_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_cond_clockwait(&handover->to_caller, &handover->mutex, CLOCK_MONOTONIC, &until) ==
        0)
        return;
    pthread_mutex_unlock(&handover->mutex);
    gs_handover_tell(handover);
    pthread_mutex_lock(&handover->mutex);
}

/* How the work has ended. */
static enum gs_status result(const struct gs_handover *handover, struct gs_error *err)
{
    if (handover->st != GS_OK)
        *err = handover->err;
    return handover->st;
}

enum gs_status gs_handover_feed(struct gs_handover *handover, const void *records, uint64_t bytes,
                                struct gs_error *err)
{
    enum gs_status st = GS_OK;
    pthread_mutex_lock(&handover->mutex);
    for (uint64_t fed = 0; fed < bytes;) {
        while (handover->room == NULL && !handover->done)
            await_thread(handover);
        if (handover->done) {
            st = result(handover, err);
            break;
        }
        const uint64_t room = handover->room_bytes - handover->filled;
        const uint64_t here = bytes - fed < room ? bytes - fed : room;
        memcpy(handover->room + handover->filled, (const char *)records + fed, here);
        fed += here;
        handover->filled += here;
        if (here == room) {
            handover->room = NULL;
            pthread_cond_signal(&handover->to_thread);
        }
    }
    pthread_mutex_unlock(&handover->mutex);
    return st;
}

void gs_handover_end(struct gs_handover *handover)
{
    pthread_mutex_lock(&handover->mutex);
    handover->ended = true;
    pthread_cond_signal(&handover->to_thread);
    pthread_mutex_unlock(&handover->mutex);
}

enum gs_status gs_handover_take(struct gs_handover *handover, const void **batch, uint64_t *count,
                                struct gs_error *err)
{
    enum gs_status st = GS_OK;
    pthread_mutex_lock(&handover->mutex);
    if (handover->taken) {
        handover->taken = false;
        handover->batch = NULL;
        pthread_cond_signal(&handover->to_thread);
    }
    while (handover->batch == NULL && !handover->done)
        await_thread(handover);
    handover->taken = !handover->done;
    *batch = handover->done ? NULL : handover->batch;
    *count = handover->done ? 0 : handover->count;
    if (handover->done)
        st = result(handover, err);
    pthread_mutex_unlock(&handover->mutex);
    return st;
}

enum gs_status gs_handover_read(struct gs_handover *handover, void *to, uint64_t room,
                                uint64_t *got, struct gs_error *err)
{
    pthread_mutex_lock(&handover->mutex);
    handover->room = to;
    handover->room_bytes = room;
    handover->filled = 0;
    pthread_cond_signal(&handover->to_caller);
    while (handover->room != NULL && !handover->ended &&
           !atomic_load(&handover->progress.cancelled))
        pthread_cond_wait(&handover->to_thread, &handover->mutex);
    handover->room = NULL;
    *got = handover->filled;
    pthread_mutex_unlock(&handover->mutex);
    return gs_progress_check(&handover->progress, err);
}

enum gs_status gs_handover_write(struct gs_handover *handover, const void *batch, uint64_t count,
                                 struct gs_error *err)
{
    if (count == 0)
        return GS_OK;
    pthread_mutex_lock(&handover->mutex);
    handover->batch = batch;
    handover->count = count;
    pthread_cond_signal(&handover->to_caller);
    while (handover->batch != NULL && !atomic_load(&handover->progress.cancelled))
        pthread_cond_wait(&handover->to_thread, &handover->mutex);
    handover->batch = NULL;
    pthread_mutex_unlock(&handover->mutex);
    return gs_progress_check(&handover->progress, err);
}

void gs_handover_close(struct gs_handover *handover)
{
    cancel(handover);
    pthread_join(handover->thread, NULL);
    pthread_cond_destroy(&handover->to_thread);
    pthread_cond_destroy(&handover->to_caller);
    pthread_mutex_destroy(&handover->mutex);
}
