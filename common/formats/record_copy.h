/* record_copy.h -- copy a record.
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

#endif
