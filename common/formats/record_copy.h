/* record_copy.h -- copy a record, and have one come to the cache.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_RECORD_COPY_H
#define GS_RECORD_COPY_H

#include <stdint.h>
#include <string.h>

/* Short ones are copied without a call: the last part may overlap the one before. */
static inline void gs_record_copy(char *to, const char *record, uint64_t bytes)
{
    enum { PART = 32, HALF = PART / 2, QUARTER = HALF / 2, MOST = 8 * PART };
    if (bytes < QUARTER || bytes > MOST) {
        memcpy(to, record, bytes);
    } else if (bytes <= HALF) {
        memcpy(to, record, QUARTER);
        memcpy(to + bytes - QUARTER, record + bytes - QUARTER, QUARTER);
    } else if (bytes <= PART) {
        memcpy(to, record, HALF);
        memcpy(to + bytes - HALF, record + bytes - HALF, HALF);
    } else {
        for (uint64_t at = 0; at + PART < bytes; at += PART)
            memcpy(to + at, record + at, PART);
        memcpy(to + bytes - PART, record + bytes - PART, PART);
    }
}

/* The second-level cache takes more at once than the first; the hardware fetches the rest of long
 * records. */
static inline void gs_record_prefetch(const char *record, uint32_t bytes)
{
    enum { LINE = 64, MOST = 512 };
    const uint32_t end = bytes < MOST ? bytes : MOST;
    for (uint32_t at = 0; at < end; at += LINE)
        __builtin_prefetch(record + at, 0, 2);
    __builtin_prefetch(record + end - 1, 0, 2);
}

#endif
