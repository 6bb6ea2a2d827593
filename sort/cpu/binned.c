/* binned.c -- sort keys that lie in rows, each ordered by bin.
 * SPDX-License-Identifier: MIT
 *
 * The last stage of the sample sort takes each row for a scattered chunk.
 */
#include "sort/cpu/binned.h"
#include "sort/bin/cache_sort.h"
#include "sort/keys/params.h"
#include "sort/cpu/sort_bins.h"
#include "sort/cpu/cpu.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

static_assert(GS_BINNED_ROW_KEYS <= GS_CACHE_SORT_SCRATCH, "a run fits the scratch memory");

bool gs_binned_fits(const struct gs_options *options, const struct gs_plan *plan, size_t rows)
{
    /* A bin whose runs are too short to be split is gathered to be sorted, however large it is:
     * that must not take more memory than the scattered copy that is saved here. */
    return options->bins == 0 && options->samples == 0 && !plan->one_bin &&
           plan->count <= UINT32_MAX && rows * GS_RUN_KEYS_MIN * 2 <= plan->count / plan->threads;
}

enum gs_status gs_sort_binned(const struct gs_options *options, const struct gs_plan *plan,
                              const struct gs_binned *binned, uint64_t fingerprint,
                              struct gs_last_key *last, struct gs_sink *sink,
                              struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st;
    struct gs_progress progress = {.phase = NULL};
    struct gs_cpu cpu = {.rows = binned->rows};
    struct gs_run *run = calloc(1, sizeof *run); /* too large for a small stack */
    if (run == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to sort bins");
    run->options = options;
    run->progress = &progress;
    run->stats = stats;
    run->fingerprint = fingerprint;
    run->cpu = &cpu;
    run->plan = *plan;
    run->splitters.count = binned->bins - 1;
    memcpy(run->splitters.splitter, binned->splitters->splitter + binned->first,
           run->splitters.count * sizeof(gs_key));
    cpu.scratch_bytes = run->plan.threads * run->plan.scratch_keys * sizeof(gs_key);
    cpu.scratch = gs_pages_alloc(cpu.scratch_bytes);
    run->counts = calloc(2 * (size_t)binned->bins + 1, sizeof *run->counts);
    if (cpu.scratch == NULL || run->counts == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to sort bins");
        goto cleanup;
    }
    run->offsets = run->counts + binned->bins;
    gs_emit_init(&run->emitter, options, sink);
    run->emitter.last = last;
    GS_TRY(gs_sort_bins_cpu(run, err));
    GS_TRY(gs_emit_prove(&run->emitter, run->fingerprint, err));
    stats->device_text = gs_cache_sort_name();
    gs_run_describe(run);
    gs_run_describe_bins(run);
cleanup:
    gs_pages_free(cpu.scratch, cpu.scratch_bytes);
    free(run->counts);
    free(run);
    return st;
}
