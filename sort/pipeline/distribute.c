/* distribute.c -- count bins, prefix sum and scatter, chunk by chunk.
 * SPDX-License-Identifier: MIT
 */
#include "sort/pipeline/distribute.h"

#include "common/clock.h"

enum gs_status gs_distribute_chunk(struct gs_run *run, const struct gs_stages *stages,
                                   const struct gs_chunk *chunk, struct gs_chunk_times *times,
                                   struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t start = gs_now_ns();
    GS_TRY(stages->count_bins(run, chunk, err));
    uint64_t counted = gs_now_ns();
    GS_TRY(stages->prefix_sum(run, chunk, err));
    uint64_t summed = gs_now_ns();
    GS_TRY(stages->scatter(run, chunk, err));
    times->count_ns += counted - start;
    times->sum_ns += summed - counted;
    times->scatter_ns += gs_now_ns() - summed;
    times->keys += chunk->count;
    times->chunks++;
cleanup:
    return st;
}

void gs_distribute_account(struct gs_run *run, const struct gs_stages *stages,
                           const struct gs_chunk_times *times, unsigned threads)
{
    const enum gs_device device = stages->scatter_device;
    uint64_t bytes = times->keys * GS_KEY_BYTES;
    uint64_t sums = times->chunks * gs_run_bins(run) * 2 * sizeof(uint32_t);
    gs_run_account(run, GS_STAGE_COUNT_BINS, device, times->count_ns / threads, times->keys, bytes);
    gs_run_account(run, GS_STAGE_PREFIX_SUM, device, times->sum_ns / threads, 0, sums);
    gs_run_account(run, GS_STAGE_SCATTER, device, times->scatter_ns / threads, times->keys,
                   2 * bytes);
}

/* The least that a thread claims at once, in keys: whole chunks. */
static uint64_t keys_to_claim(const struct gs_plan *plan, uint64_t chunk_keys)
{
    bool many = gs_plan_claim(plan, plan->count) >= GS_CLAIM_KEYS;
    return many && chunk_keys < GS_CLAIM_KEYS ? GS_CLAIM_KEYS / chunk_keys * chunk_keys
                                              : chunk_keys;
}

/* Keys [first, end) of the input are in their bins: tell the sink that they will not be read again.
 * That is not true of incoming keys, whose bins lie in the input's memory, nor of a GPU, which may
 * fail and leave the sort to the CPU. */
static void forget_keys(struct gs_run *run, const struct gs_stages *stages, uint64_t first,
                        uint64_t end)
{
    struct gs_sink *sink = run->emitter.sink;
    if (sink->forget == NULL || !stages->forgets_input || run->arrived.rows.keys != NULL)
        return;
    while (first < end) {
        struct gs_tile part = gs_tiles_part(&run->tiles, first, end - first);
        sink->forget(sink, part.records, part.count);
        first += part.count;
    }
}

/* A distribution and its progress, shared by its threads. */
struct distribution {
    struct gs_run *run;
    const struct gs_stages *stages;
    uint64_t chunk_keys, claim_keys;
    unsigned threads;
    atomic_uint_fast64_t next; /* the first key that is not claimed */
    atomic_bool failed;
    struct gs_error *err; /* of the first thread that failed */
};

/* Claim some chunks; false: none are left. Claims are large, since the memory of each is given back
 * in one go, and each time that interrupts all threads; they shrink towards the end, so that no
 * thread waits long for the last ones. */
static bool claim(struct distribution *distribution, uint64_t *first, uint64_t *end)
{
    const struct gs_plan *plan = &distribution->run->plan;
    const uint64_t n = plan->count;
    const uint64_t least = distribution->claim_keys;
    *first = atomic_load(&distribution->next);
    do {
        if (*first >= n)
            return false;
        uint64_t keys = gs_plan_claim(plan, n - *first);
        keys = keys > least ? keys / least * least : least;
        *end = keys < n - *first ? *first + keys : n;
    } while (!atomic_compare_exchange_weak(&distribution->next, first, *end));
    return true;
}

/* Claim chunks and distribute them until none are left. */
static void distribute_claimed(struct distribution *distribution)
{
    struct gs_run *run = distribution->run;
    const struct gs_stages *stages = distribution->stages;
    const uint64_t chunk_keys = distribution->chunk_keys;
    uint64_t first, end;
    struct gs_chunk_times times = {0};
    struct gs_error own = {.status = GS_OK};
    while (!distribution->failed && own.status == GS_OK && claim(distribution, &first, &end)) {
        for (uint64_t at = first; at < end && own.status == GS_OK; at += chunk_keys) {
            struct gs_chunk chunk = {.index = at / chunk_keys, .first = at};
            chunk.count = end - at < chunk_keys ? end - at : chunk_keys;
            gs_distribute_chunk(run, stages, &chunk, &times, &own);
        }
        (void)gs_progress_check(run->progress, &own);
        if (own.status == GS_OK)
            forget_keys(run, stages, first, end);
    }
#pragma omp critical(gs_account)
    {
        if (own.status != GS_OK && !atomic_exchange(&distribution->failed, true))
            *distribution->err = own;
        if (!stages->accounts)
            gs_distribute_account(run, stages, &times, distribution->threads);
    }
}

enum gs_status gs_distribute(struct gs_run *run, const struct gs_stages *stages,
                             uint64_t chunk_keys, struct gs_error *err)
{
    unsigned threads = stages->chunks_side_by_side ? run->plan.threads : 1;
    if (run->arrived.count == run->plan.count)
        return GS_OK;
    struct distribution distribution = {.run = run,
                                        .stages = stages,
                                        .chunk_keys = chunk_keys,
                                        .claim_keys = keys_to_claim(&run->plan, chunk_keys),
                                        .threads = threads,
                                        .next = run->arrived.count,
                                        .err = err};
    gs_run_phase(run, GS_STAGE_SCATTER, run->plan.count);
    if (!stages->accounts) { /* the stages take turns, chunk by chunk, so all of them begin now */
        gs_run_begin(run, GS_STAGE_COUNT_BINS);
        gs_run_begin(run, GS_STAGE_PREFIX_SUM);
    }
    if (threads == 1) { /* no region: nested in it, each of a chunk's regions would make threads */
        distribute_claimed(&distribution);
    } else {
#pragma omp parallel num_threads(threads)
        distribute_claimed(&distribution);
    }
    return distribution.failed ? err->status : GS_OK;
}
