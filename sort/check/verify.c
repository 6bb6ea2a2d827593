/* verify.c -- read an output back and prove that it is the input, sorted.
 * SPDX-License-Identifier: MIT
 *
 * This checks what lies in the file, not what was passed to write: only here does a piece show that
 * was written to a wrong place or not at all. All threads read blocks into buffers that stay in
 * cache; each block is read together with the last record of the one before.
 */
#include "sort/check/verify.h"
#include "sort/check/trail.h"
#include "sort/types/key_text.h"

#include "common/clock.h"
#include "common/files/file.h"
#include "common/memory/memory.h"

#include <inttypes.h>
#include <omp.h>
#include <string.h>

#define BLOCK_BYTES ((uint64_t)256 << 10) /* that a thread reads back at once */

/* One verification, shared by its threads. */
struct proof {
    const struct gs_options *options;
    gs_look_at *look;
    int fd;
    uint64_t start;           /* of its first record in the file */
    uint64_t count;           /* records that the file must have */
    atomic_uint_fast64_t bad; /* the first that is out of order, or count */
    atomic_int read_error;    /* errno of a failed read, or 0 */
    atomic_bool short_file;   /* it ended early */
    atomic_uint_fast64_t duplicates;
    struct gs_summary *summary;
};

/* Note that a record is out of order. */
static void note_disorder(struct proof *proof, uint64_t index)
{
    uint_fast64_t best = atomic_load(&proof->bad);
    while (index < best && !atomic_compare_exchange_weak(&proof->bad, &best, index))
        continue;
}

/* Check the order of records [first, first + count) and of the one before them; buffer has room for
 * one more. Returns their fingerprint, or 0 if they cannot be read. */
static uint64_t prove_block(struct proof *proof, uint64_t first, uint64_t count, char *buffer)
{
    const struct gs_options *options = proof->options;
    const uint64_t record_bytes = gs_record_bytes(options);
    const uint64_t before = first > 0 ? 1 : 0;
    const size_t bytes = (count + before) * record_bytes;
    struct gs_look look;
    size_t got = 0;
    int error = gs_file_pread_most(proof->fd, buffer, bytes,
                                   proof->start + (first - before) * record_bytes, &got);
    if (error != 0)
        atomic_store(&proof->read_error, error);
    else if (got != bytes)
        atomic_store(&proof->short_file, true);
    if (error != 0 || got != bytes)
        return 0;
    const char *records = buffer + before * record_bytes;
    proof->look(options, records, count, before > 0 ? buffer : NULL, &look);
    if (look.bad < count)
        note_disorder(proof, first + look.bad);
    atomic_fetch_add(&proof->duplicates, look.duplicates);
    if (options->records != NULL && first == 0)
        gs_record_text(options, records, proof->summary->first);
    if (options->records != NULL && first + count == proof->count)
        gs_record_text(options, records + (count - 1) * record_bytes, proof->summary->last);
    return look.fingerprint;
}

/* Turn the proof's findings into a status and a message. */
static enum gs_status judge(const struct proof *proof, bool same, const char *name,
                            struct gs_error *err)
{
    const char *noun = gs_noun(proof->options);
    if (proof->read_error != 0)
        return gs_fail(err, GS_ERR_OUTPUT, proof->read_error, "%s: verify: cannot read it back",
                       name);
    if (proof->short_file)
        return gs_fail(err, GS_ERR_VERIFY, 0, "%s: verify: the output is too short", name);
    if (proof->bad != proof->count)
        return gs_fail(err, GS_ERR_VERIFY, 0, "%s: verify: output %s %" PRIu64 " is out of order",
                       name, noun, (uint64_t)proof->bad);
    if (!same)
        return gs_fail(err, GS_ERR_VERIFY, 0,
                       "%s: verify: the output does not hold the %ss that were read", name, noun);
    return GS_OK;
}

enum gs_status gs_verify_records(const struct gs_options *options, gs_look_at *look, int fd,
                                 uint64_t start, struct gs_stats *stats, const char *name,
                                 struct gs_error *err)
{
    const uint64_t begin_ns = gs_now_ns();
    const uint64_t record_bytes = gs_record_bytes(options);
    const uint64_t block = BLOCK_BYTES / record_bytes;
    const size_t room = (block + 1) * record_bytes;
    const unsigned threads = stats->keys_out > block ? gs_threads(options) : 1;
    struct proof proof = {.options = options,
                          .look = look,
                          .fd = fd,
                          .start = start,
                          .count = stats->keys_out,
                          .bad = stats->keys_out,
                          .summary = &stats->summary};
    char *buffers = gs_pages_alloc(threads * room);
    if (buffers == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to verify");
    uint64_t sum = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(+ : sum)
    for (uint64_t first = 0; first < proof.count; first += block) {
        const uint64_t left = proof.count - first;
        sum += prove_block(&proof, first, left < block ? left : block,
                           buffers + (size_t)omp_get_thread_num() * room);
    }
    gs_pages_free(buffers, threads * room);
    const struct gs_stage_stats row =
        gs_stage_since(begin_ns, proof.count, proof.count * record_bytes);
    gs_stage_add(&stats->stages[GS_STAGE_VERIFY], &row);
    stats->summary.duplicates = proof.duplicates;
    stats->summary.known = options->records != NULL && !options->shuffled;
    return judge(&proof, sum == stats->fingerprint, name, err);
}
