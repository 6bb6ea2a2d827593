/* forecast.h -- what a sort or a merge would take, known before any work.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_FORECAST_H
#define GS_FORECAST_H

#include "sort/types/types.h"

#include "common/files/slurp.h"

struct gs_forecast {
    const char *engine; /* that would run, */
    enum gs_device device;
    char reason[GS_REASON_BYTES]; /* and why there */
    double seconds;               /* approximately, in memory */
    double external_seconds;      /* that it takes longer through temporary files */
    uint64_t memory_bytes;        /* of buffers, on the CPU */
    /* Of input that occupies memory, which forget() gives back as the sort's buffers fill: the
     * most, in bytes, that has to be counted on top of memory_bytes. */
    uint64_t held_bytes;
    bool counted;  /* records are counted as they come, so that no input need be held */
    bool reads_on; /* while input is read into memory, room for another read must be left */
};

/* What counts of held_bytes of input in memory. */
static inline uint64_t gs_forecast_held(const struct gs_forecast *forecast, uint64_t held_bytes)
{
    return held_bytes < forecast->held_bytes ? held_bytes : forecast->held_bytes;
}

/* Does a sort in memory keep to memory_bytes (0: no limit), beside held_bytes of input? */
static inline bool gs_forecast_fits(const struct gs_forecast *forecast, uint64_t memory_bytes,
                                    uint64_t held_bytes)
{
    const uint64_t next = forecast->reads_on && held_bytes > 0 ? gs_slurp_most(held_bytes) : 0;
    uint64_t sum;
    if (held_bytes > 0 && forecast->counted)
        return false;
    return memory_bytes == 0 ||
           (!__builtin_add_overflow(forecast->memory_bytes, held_bytes, &sum) &&
            !__builtin_add_overflow(sum, next, &sum) && sum <= memory_bytes);
}

#endif
