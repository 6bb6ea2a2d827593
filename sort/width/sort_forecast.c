/* sort_forecast.c -- predict a sort of elements.
 * SPDX-License-Identifier: MIT
 */
#include "sort/width/sort_forecast.h"
#include "sort/external/external_plan.h"
#include "sort/run/cost.h"
#include "sort/run/plan.h"
#include "sort/sorter/sorter.h"

void gs_sort_forecast(const struct gs_options *options, uint64_t count,
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
