/* thread_work.c -- emit a thread's pieces, and book its work.
 * SPDX-License-Identifier: MIT
 */
#include "sort/run/thread_work.h"
#include "sort/keys/fingerprint.h"
#include "sort/keys/key_loops.h"
#include "sort/keys/params.h"

#include "common/clock.h"

#include <omp.h>

unsigned gs_cpu_thread(void)
{
    return (unsigned)omp_get_thread_num();
}

enum gs_status gs_work_emit(struct gs_emitter *emitter, uint64_t number, gs_key *keys,
                            uint64_t count, uint64_t planned, struct gs_thread_work *work)
{
    uint64_t position;
    uint64_t kept = count;
    uint64_t start = gs_now_ns();
    keys = gs_emit_place(emitter, keys, count, planned);
    work->write_ns += gs_now_ns() - start;
    enum gs_status st = gs_emit_begin(emitter, number, keys, &kept, planned, &position);
    if (st != GS_OK)
        return st;
    start = gs_now_ns();
    st = gs_emit_write(emitter, keys + (count - kept), kept, position);
    work->write_ns += gs_now_ns() - start;
    gs_emit_end(emitter);
    work->keys_out += kept;
    return st;
}

/* Write `count` copies of a key from `position` on. */
static enum gs_status write_copies(struct gs_emitter *emitter, gs_key key, uint64_t count,
                                   uint64_t position, gs_key *scratch)
{
    enum gs_status st = GS_OK;
    if (gs_emit_in_place(emitter)) {
        gs_fill(gs_sink_keys(emitter->sink) + position, gs_emit_record(emitter, key), count,
                emitter->past_cache);
        return GS_OK;
    }
    uint64_t block = count < GS_TILE_KEYS ? count : GS_TILE_KEYS;
    for (uint64_t done = 0; done < count && st == GS_OK; done += block) {
        if (done == 0 || emitter->options->codec != NULL) /* writing turns them into records */
            gs_fill(scratch, key, block, false);
        uint64_t here = count - done < block ? count - done : block;
        st = gs_emit_write(emitter, scratch, here, position + done);
    }
    return st;
}

enum gs_status gs_work_emit_equal(struct gs_emitter *emitter, uint64_t number, gs_key key,
                                  uint64_t count, uint64_t planned, gs_key *scratch,
                                  struct gs_thread_work *work)
{
    uint64_t kept = emitter->options->unique && count > 0 ? 1 : count;
    uint64_t position;
    if (emitter->options->verify)
        gs_emit_drop(emitter, gs_fingerprint(&key, 1) * (count - kept));
    enum gs_status st = gs_emit_begin(emitter, number, &key, &kept, planned, &position);
    if (st != GS_OK)
        return st;
    uint64_t start = gs_now_ns();
    st = write_copies(emitter, key, kept, position, scratch);
    work->write_ns += gs_now_ns() - start;
    gs_emit_end(emitter);
    work->keys_out += kept;
    return st;
}

enum gs_status gs_work_tell(struct gs_run *run, uint64_t count, uint64_t position, bool lies_there,
                            struct gs_thread_work *work)
{
    struct gs_sink *sink = run->emitter.sink;
    struct gs_error err = {.status = GS_OK};
    if (sink->memory == NULL || sink->make == NULL || run->options->unique)
        return GS_OK;
    uint64_t start = gs_now_ns();
    if (lies_there)
        sink->write(sink, gs_sink_keys(sink) + position, count, position, &err);
    else
        sink->make(sink, count, position, &err);
    if (err.status != GS_OK)
        gs_emit_fail(&run->emitter, &err);
    work->write_ns += gs_now_ns() - start;
    return err.status;
}

enum gs_status gs_work_fail_changed(struct gs_run *run)
{
    struct gs_error err = {.status = GS_OK};
    gs_tiles_fail_changed(&run->tiles, 0, run->plan.count, &err);
    gs_emit_fail(&run->emitter, &err);
    return err.status;
}

void gs_work_account(struct gs_run *run, const struct gs_thread_work *work, unsigned threads)
{
#pragma omp critical(gs_account)
    {
        if (work->keys_in > 0)
            gs_run_account(run, GS_STAGE_SORT_BINS, GS_DEVICE_CPU, work->sort_ns / threads,
                           work->keys_in, work->keys_in * 2 * GS_KEY_BYTES);
        gs_run_account(run, GS_STAGE_WRITE, GS_DEVICE_CPU, work->write_ns / threads, work->keys_out,
                       work->keys_out * GS_KEY_BYTES);
    }
}
