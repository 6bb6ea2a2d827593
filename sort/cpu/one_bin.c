/* one_bin.c -- sort an input that is one bin, without a distribution pass.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cpu/one_bin.h"
#include "sort/bin/cache_sort.h"
#include "sort/cpu/cpu.h"
#include "sort/keys/fingerprint.h"
#include "sort/run/thread_work.h"

#include "common/clock.h"

#include <stdlib.h>

enum gs_status gs_sort_one_bin(struct gs_run *run, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_thread_work work = {0};
    const uint64_t count = run->plan.count;
    bool in_place = gs_emit_in_place(&run->emitter);
    uint64_t start = gs_now_ns();
    /* From malloc, where the next sort finds it again: fresh pages would take longer than a small
     * sort itself. */
    gs_key *keys = in_place ? gs_sink_keys(run->emitter.sink) : malloc(count * sizeof *keys + 1);
    gs_key *scratch = malloc(gs_cache_sort_scratch(count) * sizeof *scratch);
    if (keys == NULL || scratch == NULL) {
        st = gs_cpu_fail_memory(run, err);
        goto cleanup;
    }
    gs_run_phase(run, GS_STAGE_SORT_BINS, count);
    gs_run_account(run, GS_STAGE_START, GS_DEVICE_CPU, gs_now_ns() - start, 0, 0);
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
        free(keys);
    free(scratch);
    return st;
}
