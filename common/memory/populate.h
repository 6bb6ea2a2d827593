/* populate.h -- a thread that makes a growing buffer's pages ahead of the thread that fills it.
 * SPDX-License-Identifier: MIT
 *
 * A fresh page is cleared when it is first touched, which takes the reader of a pipe as long as the
 * copy itself. Here another thread does that meanwhile.
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
    pthread_cond_t more;   /* there are pages to make, or `ends` is set */
    char *bytes;           /* the caller's buffer */
    size_t room;           /* its size in bytes */
    size_t made;           /* bytes from its start whose pages are made or used */
    bool ends;
    atomic_size_t wanted; /* bytes from its start whose pages should be made */
    atomic_bool waits;    /* the thread waits for `more` */
};

/* Start a thread for a buffer of `room` bytes. If it cannot be started, all calls do nothing. */
void gs_populate_start(struct gs_populate *populate, char *bytes, size_t room);

/* `used` bytes of the buffer are filled: make pages some way ahead of that. */
void gs_populate_want(struct gs_populate *populate, size_t used);

/* Move or grow the buffer between lock and unlock: no page is made meanwhile. Pass its new address
 * and size to unlock. */
void gs_populate_lock(struct gs_populate *populate);
void gs_populate_unlock(struct gs_populate *populate, char *bytes, size_t room);

void gs_populate_stop(struct gs_populate *populate);

#endif
