/* magic.h -- do the first bytes of an input say that it is something other than plain keys?
 * SPDX-License-Identifier: MIT
 *
 * Feed the bytes as they come, from the first of the file on; what was fed so far is judged at any
 * time, and for the last time once GS_HEAD_BYTES have come or the input has ended.
 */
#ifndef GS_MAGIC_H
#define GS_MAGIC_H

#include "common/formats/signatures.h"
#include "common/status.h"

/* What is asked of an input's first bytes. */
enum gs_looks {
    GS_LOOKS_NONE,    /* nothing: the user insists */
    GS_LOOKS_FORMATS, /* what cannot be what the user says */
    GS_LOOKS_ALL      /* text, too, as the user has not said what it is */
};

/* Looks of text are those of this many bytes: nobody has 1024 keys each of which is printable. */
#define GS_MAGIC_TEXT 4096

/* What is known of an input; all zero but for `looks` and head.skip at the start. */
struct gs_magic {
    enum gs_looks looks; /* NONE: nothing more is to be fed */
    struct gs_head head;
    unsigned char *own; /* head.bytes, if they were fed; else NULL */
};

/* For an input that is not to be looked at, or has been. */
extern const struct gs_magic gs_magic_none;

/* These bytes come next. */
enum gs_status gs_magic_feed(struct gs_magic *magic, const void *bytes, size_t size,
                             const char *name, struct gs_error *err);

/* GS_ERR_INPUT if the bytes are of a known format or, once the input has `ended` or GS_MAGIC_TEXT
 * have come, text: the message says what to do. */
enum gs_status gs_magic_check(struct gs_magic *magic, bool ended, const char *name,
                              struct gs_error *err);

/* Nothing more is to be fed: free what was. */
void gs_magic_end(struct gs_magic *magic);

#endif
