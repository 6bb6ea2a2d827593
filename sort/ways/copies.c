/* copies.c -- write as many copies of each value as there were keys of it.
 * SPDX-License-Identifier: MIT
 *
 * Where the output wants records, copies are made of these, not of the keys, unless a key tells
 * whether it is the first of its value (-u) or has its place in memory.
 */
#include "sort/ways/copies.h"
#include "sort/keys/fingerprint.h"
#include "sort/keys/key_loops.h"
#include "sort/keys/params.h"
#include "sort/run/thread_work.h"

#include "common/clock.h"

#include <string.h>

uint64_t gs_copies_place(struct gs_run *run, struct gs_copies *list, uint64_t listed)
{
    const struct gs_options *options = run->options;
    const unsigned payload = gs_payload_bits(options);
    uint64_t position = 0;
    uint64_t kept = 0;
    for (uint64_t i = 0; options->reverse && i < listed / 2; i++) {
        struct gs_copies last = list[listed - 1 - i];
        list[listed - 1 - i] = list[i];
        list[i] = last;
    }
    for (uint64_t i = 0; i < listed; i++) {
        const struct gs_copies now = list[i];
        const bool again = kept > 0 && (list[kept - 1].key ^ now.key) >> payload == 0;
        const uint64_t count = !options->unique ? now.start : again ? 0 : 1;
        if (count < now.start && options->verify)
            gs_emit_drop(&run->emitter, gs_fingerprint(&now.key, 1) * (now.start - count));
        if (count > 0)
            list[kept++] = (struct gs_copies){now.key, position};
        position += count;
    }
    list[kept].start = position;
    return kept;
}

/* The last value whose copies start at or before this position. */
static const struct gs_copies *value_at(const struct gs_copies *list, uint64_t kept,
                                        uint64_t position)
{
    uint64_t low = 0;
    for (uint64_t high = kept - 1; low < high;) {
        uint64_t middle = high - (high - low) / 2;
        if (list[middle].start <= position)
            low = middle;
        else
            high = middle - 1;
    }
    return list + low;
}

/* Are pieces made as records? */
static bool as_records(const struct gs_run *run)
{
    const struct gs_emitter *emitter = &run->emitter;
    return run->options->codec != NULL && !emitter->keeps_keys && emitter->sink->memory == NULL &&
           !run->options->unique;
}

size_t gs_copies_bytes(const struct gs_run *run)
{
    /* files want long writes */
    return (run->emitter.sink->memory != NULL ? GS_TILE_KEYS / 4 : GS_TILE_KEYS) * GS_KEY_BYTES;
}

static void fill_records(char *to, gs_key record, size_t record_bytes, uint64_t count)
{
    const size_t bytes = count * record_bytes;
    if (record_bytes == sizeof record) {
        gs_fill((gs_key *)(void *)to, record, count, false);
        return;
    }
    memcpy(to, &record, record_bytes);
    for (size_t done = record_bytes; done < bytes; done *= 2)
        memcpy(to + done, to, done < bytes - done ? done : bytes - done);
}

/* Make keys [first, first + count) of the output, at their places in its memory or in buffer;
 * returns where. */
static void *make_piece(const struct gs_run *run, const struct gs_copies *value, uint64_t first,
                        uint64_t count, char *buffer)
{
    const bool past_cache = run->emitter.past_cache;
    const bool one = value[1].start - first >= count;
    const bool straight = gs_emit_in_place(&run->emitter) && (one || !past_cache);
    const bool records = as_records(run);
    const size_t bytes = records ? run->options->codec->record_bytes : GS_KEY_BYTES;
    char *to = straight ? (char *)(gs_sink_keys(run->emitter.sink) + first) : buffer;
    for (uint64_t done = 0, here; done < count; done += here, value++) {
        uint64_t left = value[1].start - first - done;
        here = left < count - done ? left : count - done;
        if (records)
            fill_records(to + done * bytes, gs_emit_record(&run->emitter, value->key), bytes, here);
        else
            gs_fill((gs_key *)(void *)to + done, value->key, here,
                    straight && past_cache && run->options->codec == NULL);
    }
    return to;
}

static enum gs_status emit_piece(struct gs_run *run, uint64_t number, void *piece, uint64_t count,
                                 uint64_t first, struct gs_thread_work *work)
{
    uint64_t position;
    if (!as_records(run))
        return gs_work_emit(&run->emitter, number, piece, count, first, work);
    enum gs_status st = gs_emit_begin(&run->emitter, number, NULL, &count, first, &position);
    if (st != GS_OK)
        return st;
    const uint64_t start = gs_now_ns();
    st = gs_emit_write_records(&run->emitter, piece, count, position);
    work->write_ns += gs_now_ns() - start;
    work->keys_out += count;
    gs_emit_end(&run->emitter);
    return st;
}

void gs_copies_emit(struct gs_run *run, const struct gs_copies *list, uint64_t kept, char *buffers)
{
    const uint64_t count = list[kept].start;
    const size_t bytes = as_records(run) ? run->options->codec->record_bytes : GS_KEY_BYTES;
    const uint64_t piece = gs_copies_bytes(run) / bytes;
    const unsigned threads = run->plan.threads;
    atomic_uint_fast64_t next = 0;
#pragma omp parallel num_threads(threads)
    {
        struct gs_thread_work work = {0};
        char *buffer = buffers + gs_cpu_thread() * gs_copies_bytes(run);
        for (uint64_t first; (first = atomic_fetch_add(&next, piece)) < count;) {
            const uint64_t here = count - first < piece ? count - first : piece;
            if (gs_work_tell(run, here, first, false, &work) != GS_OK)
                break;
            uint64_t start = gs_now_ns();
            void *made = make_piece(run, value_at(list, kept, first), first, here, buffer);
            work.sort_ns += gs_now_ns() - start;
            if (emit_piece(run, first / piece, made, here, first, &work) != GS_OK ||
                gs_work_tell(run, here, first, true, &work) != GS_OK)
                break;
            atomic_fetch_add_explicit(&run->progress->done, here, memory_order_relaxed);
        }
        gs_work_account(run, &work, threads);
#pragma omp critical(gs_account) /* not by gs_work_account: no key was read */
        gs_run_account(run, GS_STAGE_SORT_BINS, GS_DEVICE_CPU, work.sort_ns / threads,
                       work.keys_out, work.keys_out * GS_KEY_BYTES);
    }
}
