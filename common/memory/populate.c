/* populate.c -- a thread that makes a growing buffer's pages ahead of the thread that fills it.
 * SPDX-License-Identifier: MIT
 */
#include "common/memory/populate.h"

#include "common/memory/memory.h"

/* Made by one call: a thread that wants to move the buffer waits for one huge page, 0.3 ms. */
#define STEP_BYTES GS_HUGE_PAGE_BYTES

/* How far ahead pages are made; those that are not used in the end are cleared in vain. */
#define AHEAD_BYTES ((size_t)32 << 20)

/* Is there a step to make? Skips pages that the reader has reached. Called with the mutex held. */
static bool has_step(struct gs_populate *populate)
{
    size_t wanted = atomic_load(&populate->wanted);
    size_t used = wanted > AHEAD_BYTES ? wanted - AHEAD_BYTES : 0;
    if (populate->made < used)
        populate->made = used - used % STEP_BYTES;
    size_t end = populate->made + STEP_BYTES;
    return end <= wanted && end <= populate->room;
}

static void *make_pages(void *argument)
{
    struct gs_populate *populate = argument;
    pthread_mutex_lock(&populate->mutex);
    for (;;) {
        atomic_store(&populate->waits, true); /* before has_step looks: no wake-up is missed */
        while (!populate->ends && !has_step(populate))
            pthread_cond_wait(&populate->more, &populate->mutex);
        atomic_store(&populate->waits, false);
        /* Fails on a kernel before 5.14, or without memory: the reader's touch will tell. */
        if (populate->ends || !gs_pages_populate(populate->bytes + populate->made, STEP_BYTES))
            break;
        populate->made += STEP_BYTES;
        pthread_mutex_unlock(&populate->mutex); /* a chance for gs_populate_lock */
        pthread_mutex_lock(&populate->mutex);
    }
    pthread_mutex_unlock(&populate->mutex);
    return NULL;
}

void gs_populate_start(struct gs_populate *populate, char *bytes, size_t room)
{
    *populate = (struct gs_populate){.bytes = bytes,
                                     .room = room,
                                     .mutex = PTHREAD_MUTEX_INITIALIZER,
                                     .more = PTHREAD_COND_INITIALIZER};
    populate->running = pthread_create(&populate->thread, NULL, make_pages, populate) == 0;
}

void gs_populate_want(struct gs_populate *populate, size_t used)
{
    if (!populate->running)
        return;
    atomic_store(&populate->wanted, used + AHEAD_BYTES);
    if (atomic_load(&populate->waits)) {
        pthread_mutex_lock(&populate->mutex);
        pthread_cond_signal(&populate->more);
        pthread_mutex_unlock(&populate->mutex);
    }
}

void gs_populate_lock(struct gs_populate *populate)
{
    if (populate->running)
        pthread_mutex_lock(&populate->mutex);
}

void gs_populate_unlock(struct gs_populate *populate, char *bytes, size_t room)
{
    if (!populate->running)
        return;
    populate->bytes = bytes;
    populate->room = room;
    pthread_mutex_unlock(&populate->mutex);
}

void gs_populate_stop(struct gs_populate *populate)
{
    if (!populate->running)
        return;
    pthread_mutex_lock(&populate->mutex);
    populate->ends = true;
    pthread_cond_signal(&populate->more);
    pthread_mutex_unlock(&populate->mutex);
    pthread_join(populate->thread, NULL);
    populate->running = false;
}
