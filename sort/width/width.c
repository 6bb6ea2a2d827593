/* width.c -- the table of calls for the width that this is compiled for.
 * SPDX-License-Identifier: MIT
 */
#include "sort/width/width.h"
#include "sort/cpu/stages_cpu.h"
#include "sort/external/external.h"
#include "sort/external/external_plan.h"
#include "sort/gpu/gpu_array.h"
#include "sort/keys/look_keys.h"
#include "sort/keys/order.h"
#include "sort/keys/sift.h"
#include "sort/merge/merge.h"
#include "sort/pipeline/incoming.h"
#include "sort/run/cost.h"
#include "sort/run/plan.h"
#include "sort/sorter/sorter.h"

static void forecast_sort(const struct gs_options *options, uint64_t count,
                          struct gs_forecast *forecast)
{
    struct gs_plan plan;
    gs_plan_make(&plan, options, count);
    *forecast = (struct gs_forecast){.engine = gs_sort_engine(options),
                                     .external_seconds = gs_external_seconds(count),
                                     .memory_bytes = plan.memory_bytes,
                                     .held_bytes = gs_plan_held(&plan, UINT64_MAX),
                                     .counted = plan.counted};
    forecast->device = gs_sort_choose(options, count, false, forecast->reason);
    forecast->seconds = forecast->device == GS_DEVICE_GPU
                            ? gs_cost_gpu_seconds(count, plan.threads, false)
                            : gs_cost_cpu_seconds(count, plan.threads);
}

static struct gs_incoming *start_incoming(const struct gs_options *options)
{
    return gs_incoming_new(options, &gs_stages_cpu);
}

static const struct gs_incoming_calls incoming = {.start = start_incoming,
                                                  .tell = gs_incoming_tell,
                                                  .pause = gs_incoming_pause,
                                                  .end = gs_incoming_end,
                                                  .restore = gs_incoming_restore,
                                                  .free = gs_incoming_free};

#define NAME_OF(bits) gs_width_##bits
#define NAME(bits)    NAME_OF(bits)

const struct gs_width NAME(GS_BITS) = {
    .key_bytes = GS_KEY_BYTES,
    .check_options = gs_options_check,
    .check_count = gs_options_check_count,
    .prepare = gs_prepare,
    .keeps_most = gs_sort_keeps_most,
    .sort = gs_sort,
    .forecast = forecast_sort,
    .first_disorder = gs_first_record_disorder,
    .look = gs_keys_look,
    .sift = gs_keys_sift,
    .merge = gs_merge,
    .forecast_merge = gs_merge_forecast,
    .sort_external = gs_sort_external,
    .sort_device = gs_gpu_array_sort,
    .incoming = &incoming,
};
