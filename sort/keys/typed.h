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

/* Where record i of a span is. codec: of its records; NULL: they are keys. */
static inline const void *gs_span_at(const struct gs_span *span, const struct gs_codec *codec,
                                     uint64_t i)
{
    return (const char *)span->keys + i * (codec != NULL ? codec->record_bytes : sizeof(gs_key));
}

/* The load door: copy keys [first, first + count) of a span, each read once. */
static inline void gs_span_copy(const struct gs_span *span, const struct gs_codec *codec,
                                uint64_t first, uint64_t count, gs_key *to)
{
    if (codec == NULL)
        gs_copy_once(to, gs_span_keys(span) + first, count);
    else
        gs_codec_load(codec, gs_span_at(span, codec, first), to, count);
}

/* The key of record i. */
static inline gs_key gs_span_key(const struct gs_span *span, const struct gs_codec *codec,
                                 uint64_t i)
{
    gs_key key;
    if (codec == NULL)
        return gs_span_keys(span)[i];
    gs_codec_load(codec, gs_span_at(span, codec, i), &key, 1);
    return key;
}

/* The sink's memory, or NULL. */
static inline gs_key *gs_sink_keys(const struct gs_sink *sink)
{
    return sink->memory;
}

#endif
