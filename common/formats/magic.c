/* magic.c -- do the first bytes of an input say that it is something other than plain keys?
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/magic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Text shorter than this could be four keys: a size of less than 16 random bytes that are all
 * printable is not rare enough. */
#define TEXT_BYTES_MIN 16

const struct gs_magic gs_magic_none = {.looks = GS_LOOKS_NONE};

static const struct gs_signature text = {.what = "text", .advice = "sort(1) sorts lines"};

/* The bytes that follow the first one of a UTF-8 sequence; 4 if it begins none. */
static unsigned utf8_follows(unsigned char byte)
{
    if (byte >= 0xc2 && byte <= 0xdf)
        return 1;
    if (byte >= 0xe0 && byte <= 0xef)
        return 2;
    return byte >= 0xf0 && byte <= 0xf4 ? 3 : 4;
}

/* Could this byte come next in UTF-8 text? *follows: bytes still to come of a sequence. */
static bool is_text_byte(unsigned char byte, unsigned *follows)
{
    if (*follows > 0) {
        --*follows;
        return byte >= 0x80 && byte <= 0xbf;
    }
    if (byte < 0x20)
        return byte == '\n' || byte == '\t' || byte == '\r' || byte == '\f';
    if (byte < 0x80)
        return byte != 0x7f;
    *follows = utf8_follows(byte);
    return *follows < 4;
}

/* Lines of text, and not of one character only. */
static bool is_text(const unsigned char *bytes, size_t size)
{
    unsigned follows = 0;
    bool varies = false;
    for (size_t i = 0; i < size; i++) {
        varies = varies || bytes[i] != bytes[0];
        if (!is_text_byte(bytes[i], &follows))
            return false;
    }
    return varies && memchr(bytes, '\n', size) != NULL;
}

void gs_magic_end(struct gs_magic *magic)
{
    free(magic->own);
    *magic = gs_magic_none;
}

enum gs_status gs_magic_feed(struct gs_magic *magic, const void *bytes, size_t size,
                             const char *name, struct gs_error *err)
{
    const size_t room = GS_HEAD_BYTES - magic->head.count;
    size = size < room ? size : room;
    if (magic->looks == GS_LOOKS_NONE || size == 0)
        return GS_OK;
    if (magic->own == NULL)
        magic->own = malloc(GS_HEAD_BYTES);
    if (magic->own == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "%s", name);
    memcpy(magic->own + magic->head.count, bytes, size);
    magic->head.bytes = magic->own;
    magic->head.count += size;
    return GS_OK;
}

/* What the bytes are, or NULL. */
static const struct gs_signature *find(struct gs_magic *magic, bool ended)
{
    const struct gs_head *head = &magic->head;
    for (const struct gs_signature *each = gs_signatures; each->what != NULL; each++)
        if (gs_signature_fits(each, head))
            return each;
    const size_t size = head->count < GS_MAGIC_TEXT ? head->count : GS_MAGIC_TEXT;
    if (magic->looks != GS_LOOKS_ALL ||
        size < (ended ? (size_t)TEXT_BYTES_MIN : (size_t)GS_MAGIC_TEXT))
        return NULL;
    if (is_text(head->bytes, size))
        return &text;
    magic->looks = GS_LOOKS_FORMATS;
    return NULL;
}

enum gs_status gs_magic_check(struct gs_magic *magic, bool ended, const char *name,
                              struct gs_error *err)
{
    const struct gs_signature *is = magic->looks != GS_LOOKS_NONE ? find(magic, ended) : NULL;
    if (is == NULL)
        return GS_OK;
    if (is->command == NULL)
        return gs_fail(
            err, GS_ERR_INPUT, 0, "%s: looks like %s, not plain keys: %s; --format=raw insists",
            name, is->what,
            is->advice != NULL ? is->advice : "write what is to be sorted to a plain file");
    return gs_fail(err, GS_ERR_INPUT, 0,
                   "%s: looks like %s, not plain keys: try %s %s | gsort; --format=raw insists",
                   name, is->what, is->command, strcmp(name, "-") == 0 ? "FILE" : name);
}
