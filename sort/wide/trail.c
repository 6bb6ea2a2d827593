/* trail.c -- --verify for records: what was read, and what a stream was given.
 * SPDX-License-Identifier: MIT
 */
#include "sort/wide/trail.h"
#include "sort/wide/check_records.h"
#include "sort/wide/verify_records.h"

#include <inttypes.h>

#define BLOCK_RECORDS 4096

uint64_t gs_wide_fingerprint(struct gs_wide *wide)
{
    const struct gs_tiles *tiles = &wide->run.tiles;
    const uint64_t count = gs_tiles_keys(tiles);
    uint64_t sum = 0;
#pragma omp parallel for num_threads(wide->run.plan.threads) reduction(+ : sum)
    for (uint64_t first = 0; first < count; first += BLOCK_RECORDS) {
        const uint64_t end = count - first < BLOCK_RECORDS ? count : first + BLOCK_RECORDS;
        for (uint64_t at = first; at < end;) {
            struct gs_tile part = gs_tiles_part(tiles, at, end - at);
            sum += gs_records_fingerprint(part.records, tiles->tagger->record_bytes, part.count);
            at += part.count;
        }
    }
    return sum;
}

enum gs_status gs_wide_trail_follow(struct gs_wide *wide, const char *records, uint64_t count,
                                    uint64_t position, struct gs_error *err)
{
    const uint32_t bytes = wide->tags.tagger.record_bytes;
    if (wide->options->index_bytes != 0)
        return GS_OK;
    uint64_t bad =
        gs_records_first_disorder(wide->options, records, count, position > 0 ? wide->last : NULL);
    if (bad != count)
        return gs_fail(err, GS_ERR_VERIFY, 0, "verify: output record %" PRIu64 " is out of order",
                       position + bad);
    memcpy(wide->last, records + (count - 1) * bytes, bytes);
    wide->given += gs_records_fingerprint(records, bytes, count);
    return GS_OK;
}

enum gs_status gs_wide_prove(const struct gs_wide *wide, struct gs_error *err)
{
    if (wide->options->index_bytes != 0 || wide->given == wide->run.fingerprint - wide->dropped_sum)
        return GS_OK;
    return gs_fail(err, GS_ERR_VERIFY, 0,
                   "verify: the output does not have the records that were read");
}
