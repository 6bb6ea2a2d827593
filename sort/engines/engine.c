/* engine.c -- a sort by a shared-memory engine, from tiles to emitter; limits and defaults.
 * SPDX-License-Identifier: MIT
 */
#include "sort/engines/engine.h"
#include "sort/engines/gpu_engine.h"
#include "sort/keys/fingerprint.h"
#include "sort/run/thread_work.h"

#include "common/clock.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

static_assert(GS_ENGINE_CAPACITY == 38656, "as README.md, the man page and --help say");
static_assert((GS_ENGINE_CAPACITY + GS_ENGINE_CAPACITY / 2) * GS_KEY_BYTES <= GS_ENGINE_BLOCK_BYTES,
              "lists and scratch lists fit a block");

bool gs_engine_uses_lists(enum gs_engine engine)
{
    return engine == GS_ENGINE_ATOMICMIN || engine == GS_ENGINE_REDUCTION ||
           engine == GS_ENGINE_HYBRID;
}

enum gs_lists_merge gs_engine_merge(enum gs_engine engine)
{
    if (engine == GS_ENGINE_ATOMICMIN)
        return GS_MERGE_ATOMICMIN;
    return engine == GS_ENGINE_REDUCTION ? GS_MERGE_REDUCTION : GS_MERGE_HYBRID;
}

/* On the GPU, a merge step costs the same for any number of lists up to a warp's 32, and the more
 * lists, the faster they are sorted. With more than 32, warps wait for each other in every step.
 * (H200, ms with 8, 32 and 128 lists: 1024 keys atomicmin 0.31 0.24 0.23, reduction 0.28 0.23 0.35,
 * hybrid 0.23 0.17 0.24; 38656 keys atomicmin 10.5 8.0 7.7, reduction 9.6 7.5 12.2, hybrid 7.8 5.7
 * 7.8.) */
#define LISTS_GPU 32

/* On one core, every additional list makes the merge slower and sorting no faster: one list is
 * fastest. Only up to this many keys, lists of one key each are faster, since nothing is to be
 * sorted. (One core of a Xeon with AVX-512, uniform keys, us with one list and with a list per key:
 * 8 keys 3.4 and 1.8, 32 keys 3.5 and 2.6, 64 keys 6.3 and 7.0, 256 keys 18 and 61; 38656 keys with
 * 1 list 2410, 8 lists 3630, 32 lists 5630.) */
#define ONE_KEY_LISTS_CPU 32

uint32_t gs_engine_lists(enum gs_device device, uint32_t n)
{
    uint32_t lists = 1;
    if (device == GS_DEVICE_GPU)
        return LISTS_GPU;
    while (n <= ONE_KEY_LISTS_CPU && lists < n)
        lists *= 2;
    return lists;
}

enum gs_status gs_engine_check_count(enum gs_engine engine, uint64_t count, uint32_t capacity,
                                     const char *where, struct gs_error *err)
{
    if (!gs_engine_uses_lists(engine) || count <= capacity)
        return GS_OK;
    return gs_fail(err, GS_ERR_INPUT, 0,
                   "--engine=%s takes at most %" PRIu32 " keys%s: use --engine=samplesort",
                   gs_engine_name(engine), capacity, where);
}

/* Words for the output and for the lists with their scratch, for any number of lists. */
static uint64_t buffer_words(uint64_t count)
{
    return 2 * count + count / 2 + 2 * GS_OPTION_LISTS_MAX + GS_LISTS_STATE_WORDS;
}

uint64_t gs_engine_memory(uint64_t count)
{
    return buffer_words(count) * sizeof(gs_key);
}

/* Sort words, whose first n are the keys, into out, and book both stages. */
static void sort_cpu(struct gs_run *run, gs_key *words, gs_key *out)
{
    const struct gs_options *options = run->options;
    uint32_t n = (uint32_t)run->plan.count;
    uint64_t bytes = (uint64_t)2 * n * GS_KEY_BYTES;
    uint32_t lists =
        options->lists > 0 ? (uint32_t)options->lists : gs_engine_lists(GS_DEVICE_CPU, n);
    run->stats->lists = lists;
    uint64_t start = gs_now_ns();
    run->stats->varying_bits = (unsigned)__builtin_popcount(gs_sort_lists_cpu(words, n, lists));
    uint64_t sorted = gs_now_ns();
    gs_merge_lists_cpu(gs_engine_merge(options->engine), words, n, lists, out);
    uint64_t merged = gs_now_ns();
    gs_run_account(run, GS_STAGE_SORT_LISTS, "cpu", sorted - start, n, bytes);
    gs_run_account(run, GS_STAGE_MERGE_LISTS, "cpu", merged - sorted, n, bytes);
}

enum gs_status gs_engine_run(struct gs_run *run, enum gs_device device, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_thread_work work = {0};
    uint64_t start = gs_now_ns();
    uint64_t n = run->plan.count;
    gs_key *words = NULL;
    run->stats->order = "none";
    run->stats->device = gs_device_name(device);
    words = malloc(gs_engine_memory(n));
    if (words == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %" PRIu64 " keys", n);
    gs_key *sorted = device == GS_DEVICE_GPU ? words : words + buffer_words(n) - n;
    gs_tiles_copy(&run->tiles, 0, n, words);
    /* Of the copy, not of the input, which may change: this is what is sorted. */
    run->fingerprint = run->options->verify ? gs_fingerprint(words, n) : 0;
    gs_run_account(run, GS_STAGE_READ, "cpu", gs_now_ns() - start, n, n * GS_KEY_BYTES);
    gs_run_phase(run, GS_STAGE_SORT_LISTS, n);
    if (device == GS_DEVICE_GPU)
        GS_TRY(gs_gpu_engine_sort(run, words, err));
    else
        sort_cpu(run, words, sorted);
    start = gs_now_ns();
    uint64_t kept = gs_emit_shape(&run->emitter, sorted, n);
    work.write_ns = gs_now_ns() - start;
    gs_work_emit(run, 0, sorted, kept, 0, &work);
    gs_work_account(run, &work, 1);
    GS_TRY(gs_emit_result(&run->emitter, err));
    GS_TRY(gs_emit_prove(&run->emitter, run->fingerprint, err));
cleanup:
    free(words);
    return st;
}
