/* magic.h -- do the first bytes of an input say that it is something other than plain keys?
 * SPDX-License-Identifier: MIT
 *
 * Feed the bytes as they come; what was fed so far is judged at any time, and for the last time
 * once GS_MAGIC_BYTES have come or the input has ended.
 */
#ifndef GS_MAGIC_H
#define GS_MAGIC_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Only this many bytes are looked at: nobody has 1024 keys each of which is printable text. */
#define GS_MAGIC_BYTES 4096

/* What is known of an input's first bytes; all zero at the start. */
struct gs_magic {
    unsigned char head[12];
    uint32_t seen;         /* bytes, at most GS_MAGIC_BYTES */
    bool binary;           /* a byte that no text has was among them */
    unsigned char follows; /* bytes still to come of a UTF-8 sequence */
    bool varies;           /* not all of them are equal */
    bool has_lines;        /* a newline was among them */
};

/* For an input that is not to be looked at, or has been. */
extern const struct gs_magic gs_magic_none;

void gs_magic_feed(struct gs_magic *magic, const void *bytes, size_t size);

/* Is nothing more to be fed? */
static inline bool gs_magic_is_full(const struct gs_magic *magic)
{
    return magic->seen >= GS_MAGIC_BYTES;
}

/* GS_ERR_INPUT if the bytes are of a known format or, once the input has `ended` or
 * GS_MAGIC_BYTES have come, text: the message says what to do. */
enum gs_status gs_magic_check(const struct gs_magic *magic, bool ended, const char *name,
                              struct gs_error *err);

#endif
