/* format.h -- what a file is an array of: the size of its records, and the keys within them.
 * SPDX-License-Identifier: MIT
 *
 * The sort knows only elements: unsigned integers of 4, 8 or 16 bytes. A format says how a record
 * of a file becomes one (common/formats/codec.h does it).
 *
 * The order of records is that of their first key; if that is equal, of the second, and so on; if
 * all are equal, of the other bytes, first to last, unsigned. Floats: -inf to -0, +0 to +inf, then
 * NaNs: those without the sign, the smallest bit pattern first, then those with it, the greatest
 * first. So keys are equal only if their bits are, and a sorted file is always the same bytes.
 * Dates and durations: as signed numbers, but NaT last. The bits of two to four keys may be woven
 * into one (common/formats/zorder.h). reverse reverses all of that, ties included: the output is
 * exactly the other backwards. With stable, records whose keys are equal stay in input order, in
 * reverse as well.
 */
#ifndef GS_FORMAT_H
#define GS_FORMAT_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GS_FORMAT_KEYS_MAX  64
#define GS_RECORD_BYTES_MAX 65536

enum gs_key_kind {
    GS_TYPE_UNSIGNED,
    GS_TYPE_SIGNED,
    GS_TYPE_FLOAT,
    GS_TYPE_BFLOAT,   /* the upper half of an f32 */
    GS_TYPE_DATE,     /* numpy's M8 (common/formats/date.h), */
    GS_TYPE_DURATION, /* and m8 */
    GS_TYPE_BYTES     /* compared as memcmp does */
};

/* TYPE on the command line: u8 to u128, i8 to i128, f16, bf16, f32, f64, M8, m8, bN; "be":
 * big-endian. */
struct gs_key_type {
    enum gs_key_kind kind;
    uint32_t bytes;
    bool big_endian; /* of bN: true, its first byte counts most */
    uint8_t unit;    /* of dates and durations, only for their text, */
    uint32_t factor; /* and how many of it are counted as 1 */
};

static inline bool gs_key_is_date(const struct gs_key_type *type)
{
    return type->kind == GS_TYPE_DATE || type->kind == GS_TYPE_DURATION;
}

struct gs_key_field {
    uint32_t offset; /* in the record, from 0 */
    struct gs_key_type type;
    bool descending;
    uint8_t woven; /* so many keys from this one on are one, zorder(); 0: it is one, or woven in */
};

struct gs_format {
    uint32_t record_bytes;
    uint32_t element_bytes; /* 4, 8 or 16, the least that holds a record; 0: it is wider than 16 */
    uint32_t key_count;     /* at least 1 */
    struct gs_key_field keys[GS_FORMAT_KEYS_MAX];
    bool reverse;
    bool stable;
};

/* Options as given, NULL where not. */
struct gs_format_options {
    const char *type;                     /* -t */
    const char *record;                   /* -R */
    const char *keys[GS_FORMAT_KEYS_MAX]; /* -k, the first key first */
    uint32_t key_count;
    bool shown; /* records are only shown: those that have no order will do, too */
};

/* Set *value. Two different ones would be a mistake: of several types, none goes without saying. */
enum gs_status gs_set_once(const char *what, const char *arg, const char **value,
                           struct gs_error *err);

/* Append a key to the options; refused if there are GS_FORMAT_KEYS_MAX already. */
enum gs_status gs_format_add_key(struct gs_format_options *options, const char *key,
                                 struct gs_error *err);

/* Parse TYPE, nothing before or after it. option is the option's name for messages. */
enum gs_status gs_key_type_parse(const char *option, const char *text, struct gs_key_type *type,
                                 struct gs_error *err);

/* Room for what gs_key_field_name writes. */
#define GS_KEY_FIELD_TEXT 40

/* Parse OFFSET:TYPE[r], a key or another field of records; option as above. */
enum gs_status gs_key_field_parse(const char *option, const char *text, struct gs_key_field *key,
                                  struct gs_error *err);

/* Write a key as gs_key_field_parse reads it: "8:f64r"; of a woven one, without the others. */
void gs_key_field_name(const struct gs_key_field *key, char text[GS_KEY_FIELD_TEXT]);

/* The same of key i, with what is around those that are woven: "zorder(0:u32", "4:u32)". True if it
 * is woven into the key before it, so that a comma goes between. */
bool gs_format_key_name(const struct gs_format *format, uint32_t i, char text[GS_KEY_FIELD_TEXT]);

/* The format that -t, -R and -k mean; u32 if none is given, and whole records as bytes for -R
 * alone. reverse and stable are left at 0. */
enum gs_status gs_format_parse(struct gs_format *format, const struct gs_format_options *options,
                               struct gs_error *err);

/* Check the keys of a format that was made by hand or from a header, and fill in element_bytes. */
enum gs_status gs_format_finish(struct gs_format *format, struct gs_error *err);

/* The same from words apart, TYPE or R SIZE, k KEY, s and r, as on the command line: each with or
 * without its dash, and with or without a space in front of what belongs to it. format->reverse and
 * ->stable are set. */
enum gs_status gs_format_parse_words(struct gs_format *format, const char *text,
                                     struct gs_error *err);

/* Split the words, into which *options then points, and set flags->reverse and ->stable. */
enum gs_status gs_format_split_words(char *words, struct gs_format_options *options,
                                     struct gs_format *flags, struct gs_error *err);

/* Write words that mean the same, and room for them. */
#define GS_FORMAT_WORDS (GS_FORMAT_KEYS_MAX * (GS_KEY_FIELD_TEXT + 2) + 16)
void gs_format_words(const struct gs_format *format, char text[GS_FORMAT_WORDS]);

/* A format with one key of this type, which is the whole record. */
struct gs_format gs_format_of(struct gs_key_type type);

/* Room for what gs_key_type_name and gs_key_print write, with its end. */
#define GS_KEY_TYPE_TEXT 24
#define GS_KEY_TEXT      96

/* The type as gs_key_type_parse reads it: "u32be". */
void gs_key_type_name(const struct gs_key_type *type, char text[GS_KEY_TYPE_TEXT]);

/* Room for what gs_format_name writes. */
#define GS_FORMAT_TEXT 256

/* What the records are: "f64", or "16 bytes by 8:f64r 0:u64". */
void gs_format_name(const struct gs_format *format, char text[GS_FORMAT_TEXT]);

/* The key's value in a record, in the key's own notation: integers in decimal, floats with the
 * fewest digits that are read back as the same number of their type, NaNs as strtod(3) reads them
 * ("nan", or with another payload "-nan(0x400001)"), bytes in hexadecimal, the first 32 of them;
 * dates as numpy writes them. */
void gs_key_print(const struct gs_key_field *key, const void *record, char text[GS_KEY_TEXT]);

/* The same of a key that may be woven of several: "(1,-5)", cut if it has no room. */
void gs_whole_key_print(const struct gs_key_field *key, const void *record, char text[GS_KEY_TEXT]);

/* Any number of bytes in hexadecimal: 3 + 2 * count characters with the end. */
void gs_bytes_print(const void *bytes, size_t count, char *text);

#endif
