/* records.c -- the table of calls for records that no element holds.
 * SPDX-License-Identifier: MIT
 */
#include "sort/wide/records.h"
#include "sort/engines/list_engines.h"
#include "sort/sorter/sorter.h"
#include "sort/check/check_records.h"
#include "sort/wide/record_calls.h"

#include <inttypes.h>

static enum gs_status check_options(const struct gs_options *options, struct gs_error *err)
{
    struct gs_options tags = *options;
    if (options->device == GS_DEVICE_GPU && options->format->element_bytes != 0)
        return gs_fail(err, GS_ERR_DEVICE, 0, "--device=gpu: -s needs the CPU");
    if (options->device == GS_DEVICE_GPU)
        return gs_fail(err, GS_ERR_DEVICE, 0,
                       "--device=gpu: a GPU sorts records of up to 16 bytes, not of %u",
                       gs_record_bytes(options));
    if (gs_engine_uses_lists(options->engine))
        return gs_fail(err, GS_ERR_USAGE, 0, "--engine=%s sorts keys of 4 bytes, not of %u",
                       gs_engine_name(options->engine), gs_record_bytes(options));
    tags.device = GS_DEVICE_CPU;
    tags.records = NULL;
    return gs_options_check(&tags, err);
}

static enum gs_status check_count(const struct gs_options *options, uint64_t count,
                                  struct gs_error *err)
{
    if (options->index_bytes == 4 && count > (uint64_t)UINT32_MAX + 1)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "--argsort=u32: the last of %" PRIu64 " records is beyond that: use u64",
                       count);
    return GS_OK;
}

const struct gs_width gs_width_records = {
    .key_bytes = GS_KEY_BYTES,
    .check_options = check_options,
    .check_count = check_count,
    .sort = gs_sort_records,
    .forecast = gs_sort_records_forecast,
    .first_disorder = gs_records_first_disorder,
    .look = gs_records_look,
    .sift = gs_records_sift,
    .merge = gs_records_merge,
    .forecast_merge = gs_records_merge_forecast,
    .sort_external = gs_sort_records_external,
    .check_external = gs_sort_records_check_external,
};
