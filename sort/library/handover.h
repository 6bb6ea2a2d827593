/* handover.h -- a thread that sorts, which the caller's calls feed with records and take batches
 * from.
 * SPDX-License-Identifier: MIT
 *
 * Nothing is copied but what is fed, straight to where the thread wants it; a batch stays where the
 * thread has it until the next one is asked for. On both sides a call waits for the other side.
 */
#ifndef GS_HANDOVER_H
#define GS_HANDOVER_H

#include "sort/gsort.h"
#include "sort/types/types.h"

#include <pthread.h>

typedef enum gs_status gs_job_work(void *context, struct gs_progress *progress,
                                   struct gs_error *err);

struct gs_handover {
    const struct gsort_options *options; /* whose callback is called while a caller waits */
    gs_job_work *work;
    void *context;
    pthread_t thread;
    struct gs_progress progress;
    struct gs_error err; /* of the work, */
    enum gs_status st;   /* when it is done */
    pthread_mutex_t mutex;
    pthread_cond_t to_thread, to_caller;
    /* Guarded by the mutex: */
    char *room; /* where the thread wants records, or NULL */
    uint64_t room_bytes, filled;
    bool ended;        /* there are no more records */
    const void *batch; /* that the thread hands over, or NULL */
    uint64_t count;    /* of its records */
    bool taken;        /* the caller has it */
    bool done;
};

void gs_handover_init(struct gs_handover *handover, const struct gsort_options *options,
                      gs_job_work *work, void *context);

/* Start the work, in a thread of its own. GS_ERR_MEMORY: there is none; nothing is to be closed. */
enum gs_status gs_handover_start(struct gs_handover *handover, struct gs_error *err);

/* The caller's side. An error is that of the thread's work. */
enum gs_status gs_handover_feed(struct gs_handover *handover, const void *records, uint64_t bytes,
                                struct gs_error *err);
void gs_handover_end(struct gs_handover *handover); /* of what is fed */

/* The next batch; *count is 0 when the work is done. The one before it is given back. */
enum gs_status gs_handover_take(struct gs_handover *handover, const void **batch, uint64_t *count,
                                struct gs_error *err);

/* Call the callback, which may cancel the work. */
void gs_handover_tell(struct gs_handover *handover);

/* The thread's side: wait for records until there is no room for more, or their end has come; hand
 * a batch over and wait until it is given back. GS_ERR_CANCELLED if nobody wants that. */
enum gs_status gs_handover_read(struct gs_handover *handover, void *to, uint64_t room,
                                uint64_t *got, struct gs_error *err);
enum gs_status gs_handover_write(struct gs_handover *handover, const void *batch, uint64_t count,
                                 struct gs_error *err);

/* Cancel what is not done, and wait for the thread's end. */
void gs_handover_close(struct gs_handover *handover);

#endif
