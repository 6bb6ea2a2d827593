/* trail.c -- what a stream was given: under --verify it is checked on the way.
 * SPDX-License-Identifier: MIT
 */
#include "sort/check/trail.h"
#include "sort/types/key_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum gs_status gs_trail_open(struct gs_trail *trail, const struct gs_options *options,
                             gs_look_at *look, const struct gs_sink *sink, struct gs_error *err)
{
    *trail = (struct gs_trail){.options = options};
    if (!options->verify || !sink->stream || options->index_bytes != 0)
        return GS_OK;
    trail->look = look;
    if (gs_record_bytes(options) <= sizeof trail->small)
        return GS_OK;
    trail->large = malloc(gs_record_bytes(options));
    if (trail->large == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to verify");
    return GS_OK;
}

void gs_trail_close(struct gs_trail *trail)
{
    free(trail->large);
    trail->large = NULL;
}

enum gs_status gs_trail_follow(struct gs_trail *trail, const void *records, uint64_t count,
                               uint64_t position, struct gs_error *err)
{
    const struct gs_options *options = trail->options;
    char *last = trail->large != NULL ? trail->large : trail->small;
    struct gs_look look;
    if (trail->look == NULL || count == 0)
        return GS_OK;
    trail->look(options, records, count, position > 0 ? last : NULL, &look);
    if (look.bad != count)
        return gs_fail(err, GS_ERR_VERIFY, 0, "verify: output %s %" PRIu64 " is out of order",
                       gs_noun(options), position + look.bad);
    if (position == 0 && options->records != NULL)
        gs_record_text(options, records, trail->summary.first);
    trail->summary.duplicates += look.duplicates;
    trail->fingerprint += look.fingerprint;
    const unsigned bytes = gs_record_bytes(options);
    memcpy(last, (const char *)records + (count - 1) * bytes, bytes);
    return GS_OK;
}

enum gs_status gs_trail_prove(const struct gs_trail *trail, uint64_t fingerprint,
                              struct gs_stats *stats, struct gs_error *err)
{
    const struct gs_options *options = trail->options;
    if (trail->look == NULL)
        return GS_OK;
    if (options->records != NULL) {
        stats->summary = trail->summary;
        stats->summary.known = !options->shuffled;
        if (stats->keys_out > 0)
            gs_record_text(options, trail->large != NULL ? trail->large : trail->small,
                           stats->summary.last);
    }
    if (trail->fingerprint == fingerprint)
        return GS_OK;
    return gs_fail(err, GS_ERR_VERIFY, 0, "verify: the output does not hold the %ss that were read",
                   gs_noun(options));
}
