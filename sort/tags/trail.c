/* trail.c -- what a stream of records was given: under --verify it is checked on the way.
 * SPDX-License-Identifier: MIT
 */
#include "sort/tags/trail.h"
#include "sort/types/key_text.h"
#include "sort/tags/check_records.h"
#include "sort/tags/record_fingerprint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum gs_status gs_record_trail_open(struct gs_record_trail *trail, const struct gs_options *options,
                                    const struct gs_sink *sink, struct gs_error *err)
{
    *trail = (struct gs_record_trail){.options = options};
    if (!options->verify || !sink->stream || options->index_bytes != 0)
        return GS_OK;
    trail->last = malloc(gs_record_bytes(options));
    if (trail->last == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to verify");
    return GS_OK;
}

void gs_record_trail_close(struct gs_record_trail *trail)
{
    free(trail->last);
    trail->last = NULL;
}

enum gs_status gs_record_trail_follow(struct gs_record_trail *trail, const char *records,
                                      uint64_t count, uint64_t position, struct gs_error *err)
{
    const unsigned bytes = gs_record_bytes(trail->options);
    if (trail->last == NULL || count == 0)
        return GS_OK;
    uint64_t bad = gs_records_first_disorder(trail->options, records, count,
                                             position > 0 ? trail->last : NULL);
    if (bad != count)
        return gs_fail(err, GS_ERR_VERIFY, 0, "verify: output record %" PRIu64 " is out of order",
                       position + bad);
    if (position == 0)
        gs_record_text(trail->options, records, trail->summary.first);
    trail->summary.duplicates +=
        gs_records_duplicates(trail->options, records, count, position > 0 ? trail->last : NULL);
    memcpy(trail->last, records + (count - 1) * bytes, bytes);
    trail->fingerprint += gs_records_fingerprint(records, bytes, count);
    return GS_OK;
}

enum gs_status gs_record_trail_prove(const struct gs_record_trail *trail, struct gs_stats *stats,
                                     struct gs_error *err)
{
    if (trail->last == NULL)
        return GS_OK;
    stats->summary = trail->summary;
    stats->summary.known = true;
    if (stats->keys_out > 0)
        gs_record_text(trail->options, trail->last, stats->summary.last);
    if (trail->fingerprint == stats->fingerprint)
        return GS_OK;
    return gs_fail(err, GS_ERR_VERIFY, 0,
                   "verify: the output does not hold the records that were read");
}
