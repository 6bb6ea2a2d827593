/* key_text.c -- a key as people read it.
 * SPDX-License-Identifier: MIT
 */
#include "sort/types/key_text.h"

#include <string.h>

void gs_key_text(const void *key, unsigned bytes, char text[GS_KEY_TEXT_BYTES])
{
    __extension__ unsigned __int128 value = 0;
    char digits[GS_KEY_TEXT_BYTES];
    char *digit = digits + sizeof digits;
    memcpy(&value, key, bytes);
    *--digit = '\0';
    do {
        *--digit = (char)('0' + (unsigned)(value % 10));
        value /= 10;
    } while (value != 0);
    memcpy(text, digit, (size_t)(digits + sizeof digits - digit));
}

void gs_record_text(const struct gs_options *options, const void *record, char text[GS_KEY_TEXT])
{
    char number[GS_KEY_TEXT_BYTES];
    if (options->format != NULL) {
        gs_key_print(&options->format->keys[0], record, text);
        return;
    }
    gs_key_text(record, gs_plain_bytes(options), number);
    memcpy(text, number, sizeof number);
}
