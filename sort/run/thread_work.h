/* thread_work.h -- what one thread of a team has done while pieces are sorted and emitted.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_THREAD_WORK_H
#define GS_THREAD_WORK_H

#include "sort/run/run.h"

/* The calling thread's number in its team. */
unsigned gs_cpu_thread(void);

/* Work of one thread while pieces are sorted and emitted. */
struct gs_thread_work {
    uint64_t sort_ns;
    uint64_t write_ns;
    uint64_t keys_in;
    uint64_t keys_out;
};

/* Emit sorted keys as piece `number`, and add that to *work; with a codec, keys is overwritten.
 * planned is the piece's position if no duplicates are dropped. */
enum gs_status gs_work_emit(struct gs_emitter *emitter, uint64_t number, gs_key *keys,
                            uint64_t count, uint64_t planned, struct gs_thread_work *work);

/* The same for `count` copies of one key; scratch has room for GS_TILE_KEYS keys. */
enum gs_status gs_work_emit_equal(struct gs_emitter *emitter, uint64_t number, gs_key key,
                                  uint64_t count, uint64_t planned, gs_key *scratch,
                                  struct gs_thread_work *work);

/* A sink whose memory is made part by part must make it before a piece is sorted there, and must be
 * notified afterwards (lies_there). With options->unique, both happen when keys are written, since
 * places are not known before. */
enum gs_status gs_work_tell(struct gs_run *run, uint64_t count, uint64_t position, bool lies_there,
                            struct gs_thread_work *work);

/* Fail with GS_ERR_INPUT, from any thread: the input has changed during the sort. */
enum gs_status gs_work_fail_changed(struct gs_run *run);

/* Book the work of one of `threads` parallel threads. Safe to call from a parallel region. */
void gs_work_account(struct gs_run *run, const struct gs_thread_work *work, unsigned threads);

#endif
