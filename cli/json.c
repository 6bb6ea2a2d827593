/* json.c -- texts and lists of them as JSON.
 * SPDX-License-Identifier: MIT
 */
#include "cli/json.h"

#include "common/formats/utf8.h"

#include <string.h>

/* Bytes of the character that text begins with, or 0 if it is no UTF-8. */
static size_t character_bytes(const char *text)
{
    for (size_t i = 1; i <= 4; i++) {
        if (gs_utf8_is(text, i))
            return i;
        if (text[i] == '\0')
            break;
    }
    return 0;
}

void gs_json_string(FILE *out, const char *text)
{
    if (text == NULL || *text == '\0') {
        fputs("null", out);
        return;
    }
    putc('"', out);
    while (*text != '\0') {
        const size_t bytes = character_bytes(text);
        if (bytes == 0)
            fputs("\\ufffd", out);
        else if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fprintf(out, "%s%.*s", *text == '"' || *text == '\\' ? "\\" : "", (int)bytes, text);
        text += bytes > 0 ? bytes : 1;
    }
    putc('"', out);
}

void gs_json_strings(FILE *out, const char *const *texts, size_t count)
{
    putc('[', out);
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", out);
        gs_json_string(out, texts[i]);
    }
    putc(']', out);
}
