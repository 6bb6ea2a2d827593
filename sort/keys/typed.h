/* typed.h -- the keys of spans and sinks, with their type.
 * SPDX-License-Identifier: MIT
 *
 * Callers pass keys of any width, so types.h has them as plain memory.
 */
#ifndef GS_TYPED_H
#define GS_TYPED_H

#include "sort/types/types.h"

static inline const gs_key *gs_span_keys(const struct gs_span *span)
{
    return span->keys;
}

/* The sink's memory, or NULL. */
static inline gs_key *gs_sink_keys(const struct gs_sink *sink)
{
    return sink->memory;
}

#endif
