/* one_bin.c -- sort an input that is one bin, without a distribution pass.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cpu/one_bin.h"
#include "sort/bin/cache_sort.h"
#include "sort/cpu/cpu.h"
#include "sort/keys/fingerprint.h"
#include "sort/keys/params.h"
#include "sort/run/thread_work.h"

#include "common/clock.h"
#include "common/memory.h"

#include <stdlib.h>

/* Memory for few keys comes from malloc, where the next sort finds it again: fresh pages would take
 * longer than the sort itself. */
static gs_key *take_memory(uint64_t few, uint64_t keys)
{
    return few <= GS_ONE_BIN_KEYS ? malloc(keys * sizeof(gs_key) + 1)
                                  : gs_pages_alloc(keys * sizeof(gs_key));
}

static void give_back(uint64_t few, gs_key *memory, uint64_t keys)
{
    if (few <= GS_ONE_BIN_KEYS)
        free(memory);
    else
        gs_pages_free(memory, keys * sizeof(gs_key));
}

enum gs_status gs_sort_one_bin(struct gs_run *run, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_thread_work work = {0};
    const uint64_t count = run->plan.count;
    const uint64_t scratch_keys =
        count <= GS_ONE_BIN_KEYS ? gs_cache_sort_scratch(count) : run->plan.scratch_keys;
    bool in_place = gs_emit_in_place(&run->emitter);
    uint64_t start = gs_now_ns();
    gs_key *keys = in_place ? gs_sink_keys(run->emitter.sink) : take_memory(count, count);
    gs_key *scratch = take_memory(count, scratch_keys);
    if (keys == NULL || scratch == NULL) {
        st = gs_cpu_fail_memory(run, err);
        goto cleanup;
    }
    gs_run_phase(run, GS_STAGE_SORT_BINS, count);
    gs_run_account(run, GS_STAGE_START, "cpu", gs_now_ns() - start, 0, 0);
    start = gs_now_ns();
    gs_tiles_copy(&run->tiles, 0, count, keys);
    /* Of the copy, not the input: what is sorted is what was read. */
    run->fingerprint = run->options->verify ? gs_fingerprint(keys, count) : 0;
    gs_key *sorted = gs_cache_sort(keys, scratch, count, 0, GS_KEY_MAX);
    uint64_t kept = gs_emit_shape(&run->emitter, sorted, count);
    work.sort_ns = gs_now_ns() - start;
    work.keys_in = count;
    gs_work_emit(&run->emitter, 0, sorted, kept, 0, &work);
    gs_work_account(run, &work, 1);
    st = gs_emit_result(&run->emitter, err);
    run->stats->bins = 1;
    run->stats->largest_bin = count;
cleanup:
    if (!in_place)
        give_back(count, keys, count);
    give_back(count, scratch, scratch_keys);
    return st;
}
