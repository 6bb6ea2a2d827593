/* populate.h -- have pages of a growing buffer made ahead of the one who fills it.
 * SPDX-License-Identifier: MIT
 *
 * A page of fresh memory is cleared when it is first touched, which takes the reader of a pipe as
 * long as the copy itself. Another thread does that meanwhile.
 */
#ifndef GS_POPULATE_H
#define GS_POPULATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct gs_populate {
    bool running;
    pthread_t thread;
    pthread_mutex_t mutex; /* for all below; held while pages are made */
    pthread_cond_t more;
    char *bytes;
    size_t room;
    size_t made; /* pages up to here are there */
    bool ends;
    atomic_size_t wanted; /* up to here they should be */
    atomic_bool waits;
};

/* Start a thread for a buffer of `room` bytes. Where there is none to be had all calls do nothing.
 */
void gs_populate_start(struct gs_populate *populate, char *bytes, size_t room);

/* `used` bytes are filled: make some more. */
void gs_populate_want(struct gs_populate *populate, size_t used);

/* The buffer is about to move or grow: nothing is made between lock and unlock, which tells where
 * it is then. */
void gs_populate_lock(struct gs_populate *populate);
void gs_populate_unlock(struct gs_populate *populate, char *bytes, size_t room);

void gs_populate_stop(struct gs_populate *populate);

#endif
