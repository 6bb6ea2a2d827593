/* magic.c -- do the first bytes of an input say that it is something other than plain keys?
 * SPDX-License-Identifier: MIT
 *
 * A few bytes of magic could also be the first key or two. So as many bits of a format's header are
 * compared as are fixed: with random keys, the weakest of these entries is met by one file in 2^33.
 */
#include "common/magic.h"

#include <string.h>

/* Text shorter than this could be four keys: a size of less than 16 random bytes that are all
 * printable is not rare enough. */
#define TEXT_BYTES_MIN 16

struct format {
    const char *what;
    const char
        *command; /* that makes plain data of it, to be followed by the file's name, or NULL */
    const char *advice; /* instead of a command */
    unsigned char size;
    unsigned char bytes[12];
    unsigned char mask[12]; /* bits that count; the first `size` of these */
};

#define ALL 0xff

/* gzip: RFC 1952, method, reserved flags, compression level. zstd: RFC 8878, reserved bit. lz4:
 * frame version, block size and reserved bits. ELF: class, byte order and version. */
static const struct format formats[] = {
    {"a NumPy array",
     NULL,
     "a file of it is sorted without -t, -R and --skip",
     7,
     {0x93, 'N', 'U', 'M', 'P', 'Y', 0},
     {ALL, ALL, ALL, ALL, ALL, ALL, 0xfc}},
    {"gzip data",
     "zcat",
     NULL,
     9,
     {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0},
     {ALL, ALL, ALL, 0xe0, 0, 0, 0, 0, 0xf9}},
    {"zstd data", "zstdcat", NULL, 5, {0x28, 0xb5, 0x2f, 0xfd, 0}, {ALL, ALL, ALL, ALL, 0x08}},
    {"xz data", "xzcat", NULL, 6, {0xfd, '7', 'z', 'X', 'Z', 0}, {ALL, ALL, ALL, ALL, ALL, ALL}},
    {"bzip2 data",
     "bzcat",
     NULL,
     10,
     {'B', 'Z', 'h', '0', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59},
     {ALL, ALL, ALL, 0xf0, ALL, ALL, ALL, ALL, ALL, ALL}},
    {"lz4 data",
     "lz4cat",
     NULL,
     6,
     {4, 0x22, 0x4d, 0x18, 0x40, 0x40},
     {ALL, ALL, ALL, ALL, 0xc2, 0xcf}},
    {"a zip archive", "unzip -p", NULL, 6, {'P', 'K', 3, 4, 0, 0}, {ALL, ALL, ALL, ALL, 0xc0, ALL}},
    {"an HDF5 file",
     NULL,
     "write its keys to a plain file",
     8,
     {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'},
     {ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL}},
    {"a PNG image",
     NULL,
     "it has no keys",
     8,
     {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'},
     {ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL}},
    {"an ELF program or library",
     NULL,
     "it has no keys",
     7,
     {0x7f, 'E', 'L', 'F', 0, 0, 1},
     {ALL, ALL, ALL, ALL, 0xfc, 0xfc, ALL}}};

const struct gs_magic gs_magic_none = {.seen = GS_MAGIC_BYTES, .binary = true};

static const struct format text = {"text", NULL, "sort(1) sorts lines", 0, {0}, {0}};

/* The bytes that follow the first one of a UTF-8 sequence; 4 if it begins none. */
static unsigned char utf8_follows(unsigned char byte)
{
    if (byte >= 0xc2 && byte <= 0xdf)
        return 1;
    if (byte >= 0xe0 && byte <= 0xef)
        return 2;
    return byte >= 0xf0 && byte <= 0xf4 ? 3 : 4;
}

/* Could this byte come next in UTF-8 text? */
static bool is_text(struct gs_magic *magic, unsigned char byte)
{
    if (magic->follows > 0) {
        magic->follows--;
        return byte >= 0x80 && byte <= 0xbf;
    }
    if (byte < 0x20)
        return byte == '\n' || byte == '\t' || byte == '\r' || byte == '\f';
    if (byte < 0x80)
        return byte != 0x7f;
    magic->follows = utf8_follows(byte);
    return magic->follows < 4;
}

void gs_magic_feed(struct gs_magic *magic, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    for (size_t i = 0; i < size && !gs_magic_is_full(magic); i++) {
        if (magic->seen < sizeof magic->head)
            magic->head[magic->seen] = next[i];
        magic->seen++;
        magic->varies = magic->varies || next[i] != magic->head[0];
        magic->has_lines = magic->has_lines || next[i] == '\n';
        magic->binary = magic->binary || !is_text(magic, next[i]);
    }
}

static bool has_format(const struct gs_magic *magic, const struct format *format)
{
    if (magic->seen < format->size)
        return false;
    for (size_t i = 0; i < format->size; i++)
        if ((magic->head[i] & format->mask[i]) != format->bytes[i])
            return false;
    return true;
}

static const struct format *find_format(const struct gs_magic *magic, bool ended)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (has_format(magic, &formats[i]))
            return &formats[i];
    bool enough = gs_magic_is_full(magic) || (ended && magic->seen >= TEXT_BYTES_MIN);
    return enough && !magic->binary && magic->has_lines && magic->varies ? &text : NULL;
}

enum gs_status gs_magic_check(const struct gs_magic *magic, bool ended, const char *name,
                              struct gs_error *err)
{
    const struct format *format = find_format(magic, ended);
    if (format == NULL)
        return GS_OK;
    if (format->command == NULL)
        return gs_fail(err, GS_ERR_INPUT, 0,
                       "%s: looks like %s, not plain keys: %s; --format=raw insists", name,
                       format->what, format->advice);
    return gs_fail(err, GS_ERR_INPUT, 0,
                   "%s: looks like %s, not plain keys: try %s %s | gsort; --format=raw insists",
                   name, format->what, format->command, strcmp(name, "-") == 0 ? "FILE" : name);
}
