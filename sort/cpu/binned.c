/* binned.c -- an input whose keys lie in rows already, each ordered by bin.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cpu/binned.h"

#include <string.h>

static_assert(GS_BINNED_ROW_KEYS <= GS_CACHE_SORT_SCRATCH, "a run fits the scratch memory");

void gs_binned_take(struct gs_binned *binned, struct gs_run *run)
{
    const struct gs_plan *plan = &run->plan;
    /* A bin whose runs are too short to be split is gathered to be sorted, however large it is:
     * that must not take more memory than the scattered copy that is saved here. */
    if (run->options->bins > 0 || run->options->samples > 0 || plan->one_bin ||
        plan->count > UINT32_MAX ||
        binned->rows.count * GS_RUN_KEYS_MIN * 2 > plan->count / plan->threads)
        return;
    run->splitters.count = binned->bins - 1;
    memcpy(run->splitters.splitter, binned->splitters->splitter + binned->first,
           run->splitters.count * sizeof(gs_key));
    run->fingerprint = binned->fingerprint;
    run->arrived = (struct gs_arrived){
        .rows = binned->rows, .starts_bytes = binned->starts_bytes, .count = plan->count};
    binned->rows.starts = NULL;
}
