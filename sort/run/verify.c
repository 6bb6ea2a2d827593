/* verify.c -- read an output back and prove that it is the input, sorted.
 * SPDX-License-Identifier: MIT
 *
 * This checks what lies in the file, not what was passed to write: only here does a piece show that
 * was written to a wrong place or not at all. All threads read tiles into buffers that stay in
 * cache; each tile is read together with the last key of its predecessor.
 */
#include "sort/types/types.h"
#include "sort/keys/params.h"
#include "sort/run/plan.h"
#include "sort/keys/fingerprint.h"
#include "sort/keys/order.h"
#include "sort/run/verify.h"

#include "common/clock.h"
#include "common/file.h"
#include "common/memory.h"

#include <inttypes.h>
#include <omp.h>

/* One verification, shared by its threads. */
struct proof {
    const struct gs_options *options;
    int fd;
    uint64_t start;           /* of its first key in the file */
    uint64_t count;           /* keys that the file must have */
    atomic_uint_fast64_t bad; /* the first key out of order, or count */
    atomic_int read_error;    /* errno of a failed read, or 0 */
    atomic_bool short_file;   /* it ended early */
};

/* Check the order of one tile and the key before it. Returns the tile's fingerprint, or 0 if it
 * cannot be read. */
static uint64_t prove_tile(struct proof *proof, uint64_t first, gs_key *buffer)
{
    uint64_t before = first > 0 ? 1 : 0;
    uint64_t left = proof->count - first;
    uint64_t here = left < GS_TILE_KEYS ? left : GS_TILE_KEYS;
    const struct gs_codec *codec = proof->options->codec;
    const unsigned record_bytes = gs_record_bytes(proof->options);
    uint64_t from = proof->start + (first - before) * record_bytes;
    size_t got = 0;
    int error = gs_file_pread_most(proof->fd, buffer, (here + before) * record_bytes, from, &got);
    if (error != 0)
        atomic_store(&proof->read_error, error);
    else if (got != (here + before) * record_bytes)
        atomic_store(&proof->short_file, true);
    else {
        struct gs_options one = *proof->options;
        one.threads = 1;
        if (codec != NULL) {
            gs_key *records = buffer;
            buffer += GS_TILE_KEYS + 1;
            gs_codec_load(codec, records, buffer, here + before);
        }
        uint64_t bad = gs_first_disorder(&one, buffer, here + before, NULL);
        uint_fast64_t best = atomic_load(&proof->bad);
        while (bad != here + before && first - before + bad < best &&
               !atomic_compare_exchange_weak(&proof->bad, &best, first - before + bad))
            continue;
        return gs_fingerprint(buffer + before, here);
    }
    return 0;
}

/* Turn the proof's findings into a status and a message. */
static enum gs_status judge(struct proof *proof, uint64_t fingerprint, uint64_t expected,
                            const char *name, struct gs_error *err)
{
    if (proof->read_error != 0)
        return gs_fail(err, GS_ERR_OUTPUT, proof->read_error, "%s: verify: cannot read it back",
                       name);
    if (proof->short_file)
        return gs_fail(err, GS_ERR_VERIFY, 0, "%s: verify: the output is too short", name);
    if (proof->bad != proof->count)
        return gs_fail(err, GS_ERR_VERIFY, 0, "%s: verify: output key %" PRIu64 " is out of order",
                       name, (uint64_t)proof->bad);
    if (fingerprint != expected)
        return gs_fail(err, GS_ERR_VERIFY, 0,
                       "%s: verify: the output does not hold the keys that were read", name);
    return GS_OK;
}

enum gs_status gs_verify_file(const struct gs_options *options, int fd, uint64_t start,
                              struct gs_stats *stats, const char *name, struct gs_error *err)
{
    uint64_t begin_ns = gs_now_ns();
    struct gs_plan plan;
    gs_plan_make(&plan, options, stats->keys_out);
    struct proof proof = {.options = options,
                          .fd = fd,
                          .start = start,
                          .count = stats->keys_out,
                          .bad = stats->keys_out};
    size_t buffer_keys = (options->codec != NULL ? 2 : 1) * (GS_TILE_KEYS + 1);
    size_t bytes = plan.threads * buffer_keys * sizeof(gs_key);
    gs_key *buffers = gs_pages_alloc(bytes);
    if (buffers == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to verify");
    uint64_t tiles = (proof.count + GS_TILE_KEYS - 1) / GS_TILE_KEYS;
    uint64_t fingerprint = 0;
    atomic_uint_fast64_t next = 0;
#pragma omp parallel num_threads(plan.threads) reduction(+ : fingerprint)
    {
        gs_key *buffer = buffers + (size_t)omp_get_thread_num() * buffer_keys;
        for (uint64_t tile; (tile = atomic_fetch_add(&next, 1)) < tiles;)
            fingerprint += prove_tile(&proof, tile * GS_TILE_KEYS, buffer);
    }
    gs_pages_free(buffers, bytes);
    const struct gs_stage_stats row =
        gs_stage_since(begin_ns, proof.count, proof.count * GS_KEY_BYTES);
    gs_stage_add(&stats->stages[GS_STAGE_VERIFY], &row);
    return judge(&proof, fingerprint, stats->fingerprint, name, err);
}
