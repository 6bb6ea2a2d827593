/* width.c -- the table of calls for the width that this is compiled for.
 * SPDX-License-Identifier: MIT
 */
#include "sort/width/width.h"
#include "sort/cpu/stages_cpu.h"
#include "sort/external/external.h"
#include "sort/external/external_plan.h"
#include "sort/keys/look_keys.h"
#include "sort/keys/order.h"
#include "sort/keys/sift.h"
#include "sort/merge/merge.h"
#include "sort/pipeline/incoming.h"
#include "sort/run/plan.h"
#include "sort/sorter/sorter.h"

static struct gs_incoming *incoming_new(const struct gs_options *options)
{
    return gs_incoming_new(options, &gs_stages_cpu);
}

#define NAME_OF(bits) gs_width_##bits
#define NAME(bits)    NAME_OF(bits)

const struct gs_width NAME(GS_BITS) = {
    .key_bytes = GS_KEY_BYTES,
    .check_options = gs_options_check,
    .check_count = gs_options_check_count,
    .prepare = gs_prepare,
    .keeps_most = gs_sort_keeps_most,
    .sort = gs_sort,
    .forecast = gs_sort_forecast,
    .memory = gs_sort_memory,
    .held = gs_sort_held,
    .first_disorder = gs_first_record_disorder,
    .look = gs_keys_look,
    .sift = gs_keys_sift,
    .merge = gs_merge,
    .merge_seconds = gs_merge_seconds,
    .merge_memory = gs_merge_memory,
    .sort_external = gs_sort_external,
    .external_needed = gs_external_needed,
    .external_forecast = gs_external_forecast,
    .incoming_new = incoming_new,
    .incoming_tell = gs_incoming_tell,
    .incoming_pause = gs_incoming_pause,
    .incoming_end = gs_incoming_end,
    .incoming_restore = gs_incoming_restore,
    .incoming_free = gs_incoming_free,
};
