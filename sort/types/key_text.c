/* key_text.c -- a key as people read it.
 * SPDX-License-Identifier: MIT
 */
#include "sort/types/key_text.h"

#include <stdio.h>
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

static void print_key(const struct gs_options *options, uint32_t key, const void *record,
                      char text[GS_KEY_TEXT])
{
    char number[GS_KEY_TEXT_BYTES];
    if (options->format != NULL) {
        gs_whole_key_print(&options->format->keys[key], record, text);
        return;
    }
    gs_key_text(record, gs_plain_bytes(options), number);
    memcpy(text, number, sizeof number);
}

void gs_record_text(const struct gs_options *options, const void *record, char text[GS_KEY_TEXT])
{
    print_key(options, 0, record, text);
}

void gs_disorder_text(const struct gs_options *options, const void *before, const void *record,
                      char text[GS_DISORDER_TEXT])
{
    char first[GS_KEY_TEXT];
    char second[GS_KEY_TEXT];
    char where[sizeof " in key 64"] = "";
    const uint32_t keys = options->format != NULL ? options->format->key_count : 1;
    bool equal = true;
    uint32_t key = 0;    /* the first that differs, */
    uint32_t number = 0; /* and which one that is, as keys are given */
    for (uint32_t i = 0, end = 0; i < keys && equal; i++) {
        const struct gs_key_field whole = {.type = {.bytes = gs_plain_bytes(options)}};
        const struct gs_key_field *at =
            options->format != NULL ? &options->format->keys[i] : &whole;
        if (i >= end) { /* those that are woven are one */
            key = i;
            end = i + (at->woven > 0 ? at->woven : 1);
            number++;
        }
        equal = memcmp((const char *)before + at->offset, (const char *)record + at->offset,
                       at->type.bytes) == 0;
    }
    key = equal ? 0 : key;
    print_key(options, key, before, first);
    print_key(options, key, record, second);
    if (keys > 1 && !equal)
        snprintf(where, sizeof where, " in key %u", (unsigned)number % 100);
    snprintf(text, GS_DISORDER_TEXT, "%s after %s%s%s", second, first, where,
             !equal            ? ""
             : options->unique ? ": equal keys"
                               : ": equal keys, but other bytes are out of order; -s leaves them");
}
