/* look_keys.c -- are keys in order, and which are they?
 * SPDX-License-Identifier: MIT
 */
#include "sort/keys/look_keys.h"
#include "sort/keys/fingerprint.h"
#include "sort/keys/order.h"

#include <stddef.h>
#include <string.h>

/* Keys that are looked at at once: few enough to stay in the first-level cache. */
#define LOOK_KEYS 2048

void gs_keys_look(const struct gs_options *options, const void *records, uint64_t count,
                  const void *previous, struct gs_look *look)
{
    struct gs_options alone = *options;
    const struct gs_span span = {.keys = records, .count = count};
    gs_key block[LOOK_KEYS];
    gs_key last = 0;
    alone.threads = 1;
    *look = (struct gs_look){.bad = count};
    if (previous != NULL && options->codec == NULL)
        memcpy(&last, previous, sizeof last); /* which may lie anywhere */
    else if (previous != NULL)
        gs_codec_load(options->codec, previous, &last, 1);
    for (uint64_t done = 0, here; done < count; done += here) {
        here = count - done < LOOK_KEYS ? count - done : LOOK_KEYS;
        const gs_key *keys = block;
        if (options->codec == NULL)
            keys = gs_span_keys(&span) + done;
        else
            gs_span_copy(&span, options->codec, done, here, block);
        const uint64_t bad =
            gs_first_disorder(&alone, keys, here, done > 0 || previous != NULL ? &last : NULL);
        if (bad < here) {
            look->bad = done + bad;
            return;
        }
        look->fingerprint += gs_fingerprint(keys, here);
        last = keys[here - 1];
    }
}
