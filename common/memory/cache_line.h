/* cache_line.h -- write whole cache lines past the caches.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_CACHE_LINE_H
#define GS_CACHE_LINE_H

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define GS_LINE_BYTES 64

/* Write one line by non-temporal stores, where the processor has them; both are aligned to it. */
static inline void gs_line_write(void *to, const void *line)
{
#if defined(__SSE2__)
    for (int i = 0; i < GS_LINE_BYTES / (int)sizeof(__m128i); i++)
        _mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)line + i));
#else
    memcpy(to, line, GS_LINE_BYTES);
#endif
}

/* Copy whole lines in the same way; `to` is aligned to them. */
void gs_lines_copy(void *restrict to, const void *restrict lines, size_t count);

/* Make the lines that this thread has written visible to all threads. */
static inline void gs_lines_finish(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#endif
