/* engine.c -- a sort by a shared-memory engine, from tiles to emitter.
 * SPDX-License-Identifier: MIT
 */
#include "sort/engines/engine.h"
#include "sort/engines/engine_cpu.h"
#include "sort/engines/gpu/engine_gpu.h"
#include "sort/engines/list_engines.h"
#include "sort/keys/fingerprint.h"
#include "sort/run/thread_work.h"

#include "common/clock.h"

#include <inttypes.h>
#include <stdlib.h>

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
        options->lists > 0 ? (uint32_t)options->lists : gs_engine_default_lists(GS_DEVICE_CPU, n);
    run->stats->lists = lists;
    uint64_t start = gs_now_ns();
    run->stats->varying_bits = (unsigned)__builtin_popcount(gs_sort_lists_cpu(words, n, lists));
    uint64_t sorted = gs_now_ns();
    gs_merge_lists_cpu(gs_engine_list_merge(options->engine), words, n, lists, out);
    uint64_t merged = gs_now_ns();
    gs_run_account(run, GS_STAGE_SORT_LISTS, GS_DEVICE_CPU, sorted - start, n, bytes);
    gs_run_account(run, GS_STAGE_MERGE_LISTS, GS_DEVICE_CPU, merged - sorted, n, bytes);
}

enum gs_status gs_engine_run(struct gs_run *run, enum gs_device device, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_thread_work work = {0};
    uint64_t start = gs_now_ns();
    uint64_t n = run->plan.count;
    gs_key *words = NULL;
    run->stats->order = "none";
    run->stats->device = device;
    words = malloc(gs_engine_memory(n));
    if (words == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %" PRIu64 " keys", n);
    gs_key *sorted = device == GS_DEVICE_GPU ? words : words + buffer_words(n) - n;
    gs_tiles_copy(&run->tiles, 0, n, words);
    /* Of the copy, not of the input, which may change: this is what is sorted. */
    run->fingerprint = run->options->verify ? gs_fingerprint(words, n) : 0;
    gs_run_account(run, GS_STAGE_READ, GS_DEVICE_CPU, gs_now_ns() - start, n, n * GS_KEY_BYTES);
    gs_run_phase(run, GS_STAGE_SORT_LISTS, n);
    if (device == GS_DEVICE_GPU)
        GS_TRY(gs_engine_sort_keys_gpu(run, words, err));
    else
        sort_cpu(run, words, sorted);
    start = gs_now_ns();
    uint64_t kept = gs_emit_shape(&run->emitter, sorted, n);
    work.write_ns = gs_now_ns() - start;
    gs_work_emit(&run->emitter, 0, sorted, kept, 0, &work);
    gs_work_account(run, &work, 1);
    GS_TRY(gs_emit_result(&run->emitter, err));
    GS_TRY(gs_emit_prove(&run->emitter, run->fingerprint, err));
cleanup:
    free(words);
    return st;
}
