/* merge_drive.h -- the threads of a merge, of keys or of records: what they share, and their end.
 * SPDX-License-Identifier: MIT
 *
 * A thread cuts a segment off all inputs, under a lock, and then works on it alone.
 */
#ifndef GS_MERGE_DRIVE_H
#define GS_MERGE_DRIVE_H

#include "sort/merge/merge_cut.h"
#include "sort/run/thread_work.h"
#include "sort/types/forecast.h"

#define GS_MERGE_REASON "a merge runs on the CPU"

/* What one thread has done; the first member of what it owns. */
struct gs_merge_worker {
    struct gs_segment segment; /* the one it works on, in memory of the thread's */
    uint64_t fingerprint;
    struct gs_thread_work work;
};

/* What the threads share; the first member of what a kind of merge has besides. */
struct gs_merge_drive {
    const struct gs_options *options;
    const struct gs_span *spans;
    size_t span_count;
    unsigned threads;
    unsigned sort_bytes, write_bytes; /* that are read and written of each record, by stage */
    struct gs_stats *stats;
    struct gs_progress *progress, own_progress;
    struct gs_emitter *emitter, own_emitter;
    pthread_mutex_t lock;
    struct gs_cut cut;                /* guarded by it */
    atomic_uint_fast64_t fingerprint; /* of all that was read */
    uint64_t begin_ns;

    /* Run a thread: open what it owns, have gs_merge_take work with it, and close it. */
    void (*run)(struct gs_merge_drive *drive);
    /* Merge the segment and hand it out. Errors go to the emitter: GS_ERR_INPUT, without text,
     * where an input is out of order or has changed since it was cut. */
    enum gs_status (*merge)(struct gs_merge_drive *drive, struct gs_merge_worker *worker);
    /* As first_disorder of struct gs_width (sort/types/calls.h). NULL: the caller tells what is
     * wrong if gs_merge_run returns GS_ERR_INPUT. */
    uint64_t (*first_disorder)(const struct gs_options *options, const void *records,
                               uint64_t count, const void *previous);
};

/* As many threads, each with so many bytes, as the options have memory for; one at least. */
unsigned gs_merge_threads(const struct gs_options *options, uint64_t bytes_each);

/* Bytes of all threads, and of the cut. */
uint64_t gs_merge_memory(const struct gs_options *options, size_t span_count, uint64_t bytes_each);

/* Predict a merge of `count` records, each of which takes a thread so many seconds. */
void gs_merge_predict(const struct gs_options *options, size_t span_count, uint64_t count,
                      double seconds, uint64_t bytes_each, struct gs_forecast *forecast);

/* Open a drive whose options, spans, span_count and threads are set; the rest of the functions and
 * bytes may be set later. emit_options: what the emitter has to know. */
void gs_merge_open(struct gs_merge_drive *drive, const struct gs_options *emit_options,
                   struct gs_sink *sink, struct gs_progress *progress, struct gs_stats *stats);

/* Take segments until none is left or some thread has failed, and book that. */
void gs_merge_take(struct gs_merge_drive *drive, struct gs_merge_worker *worker);

/* Tell the emitter of a failure, without text: that is found when all threads are done. */
void gs_merge_fail(struct gs_merge_drive *drive, enum gs_status status);

/* Run all threads; the statistics tell what they did, and the text of an error what is wrong. */
enum gs_status gs_merge_run(struct gs_merge_drive *drive, struct gs_error *err);

#endif
