/* key_text.h -- a key as people read it.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_KEY_TEXT_H
#define GS_KEY_TEXT_H

#include "sort/types/types.h"

/* Room for the 39 digits of 2^128 - 1 and the end. */
#define GS_KEY_TEXT_BYTES 40

/* Write an unsigned key of 4, 8 or 16 bytes in decimal. */
void gs_key_text(const void *key, unsigned bytes, char text[GS_KEY_TEXT_BYTES]);

/* Write the first key of a record as options->format says. */
void gs_record_text(const struct gs_options *options, const void *record, char text[GS_KEY_TEXT]);

/* What is out of order: "KEY after KEY", of the first key in which the records differ, or that none
 * does. */
#define GS_DISORDER_TEXT (2 * GS_KEY_TEXT + 80)
void gs_disorder_text(const struct gs_options *options, const void *before, const void *record,
                      char text[GS_DISORDER_TEXT]);

#endif
