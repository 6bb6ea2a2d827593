/* test_record_order.c -- key strings, and comparing, have the order of records of any size.
 * SPDX-License-Identifier: MIT
 */
#include "sort/types/record_order.h"
#include "common/random.h"
#include "tests/unit/check.h"
#include "tests/unit/typed_keys.h"

#include <stdlib.h>

enum { RECORDS = 300, RECORD_MAX = 300, STRING_MAX = 2 * RECORD_MAX + 40, HEAD = 16 };

static unsigned char records[RECORDS][RECORD_MAX];
static unsigned char strings[RECORDS][STRING_MAX];

/* Fill the records: few bytes vary, so that many keys and beginnings are equal, and many keys are
 * special values. */
static void make_records(const struct gs_format *format, uint64_t seed)
{
    static test_wide bits[SPECIALS_MAX];
    for (size_t i = 0; i < RECORDS; i++) {
        const uint64_t random = gs_random(seed, i);
        memset(records[i], random % 3 == 0 ? 0xff : 0, RECORD_MAX);
        records[i][(random >> 8) % format->record_bytes] = (unsigned char)(random >> 32);
        for (uint32_t k = 0; k < format->key_count; k++) {
            const struct gs_key_field *key = &format->keys[k];
            const uint64_t which = gs_random(seed + k + 1, i);
            if (key->type.kind == GS_TYPE_BYTES || which % 4 == 0)
                continue;
            const size_t count = special_bits(&key->type, bits);
            if (count > 0)
                write_bits(&key->type, records[i] + key->offset, bits[(which >> 8) % count]);
        }
    }
}

static int compare_right(const struct gs_format *format, const unsigned char *a,
                         const unsigned char *b)
{
    struct gs_format own = *format;
    if (!format->stable)
        return compare_records(format, a, b);
    /* The keys alone: the last resort compares nothing. */
    own.record_bytes = 0;
    return compare_records(&own, a, b);
}

static int sign_of(int order)
{
    return (order > 0) - (order < 0);
}

/* Write a head's bytes. */
static void spread(struct gs_record_head head, unsigned char *to)
{
    for (unsigned b = 0; b < 8; b++) {
        to[b] = (unsigned char)(head.high >> (56 - 8 * b));
        to[8 + b] = (unsigned char)(head.low >> (56 - 8 * b));
    }
}

/* Any part of a string is that of the whole, with zeros behind its end; so is the head. */
static bool parts_are_right(const struct gs_record_order *order, size_t i)
{
    unsigned char part[HEAD];
    spread(gs_record_head(order, records[i]), part);
    bool right = memcmp(part, strings[i], HEAD) == 0;
    for (uint32_t from = 0; from < order->string_bytes + 3; from += 1 + from / 20) {
        spread(gs_record_head_at(order, records[i], from), part);
        right = right && memcmp(part, strings[i] + from, HEAD) == 0;
    }
    return right;
}

/* The word that has a byte has that and those around it, with zeros behind them. */
static bool words_are_right(const struct gs_record_order *order, size_t i)
{
    bool right = true;
    bool woven = false;
    for (uint32_t k = 0; k < order->format.key_count; k++)
        woven = woven || order->format.keys[k].woven > 0;
    for (uint32_t at = 0; at < order->string_bytes; at++) {
        struct gs_record_word word;
        unsigned char wanted[HEAD] = {0};
        unsigned char found[HEAD];
        uint32_t begin = at;
        const uint32_t bytes = gs_record_word_at(order, at, &word, &begin);
        right = right && bytes <= 8 && (bytes == 0 ? woven : begin <= at && at < begin + bytes);
        memcpy(wanted, strings[i] + begin, bytes);
        spread((struct gs_record_head){bytes > 0 ? gs_record_word_by(&word, records[i]) : 0, 0},
               found);
        right = right && memcmp(found, wanted, HEAD) == 0;
    }
    return right;
}

/* Strings and comparing agree with the order that values have. */
static bool pair_is_right(const struct gs_record_order *order, size_t i, size_t j)
{
    const int wanted = compare_right(&order->format, records[i], records[j]);
    bool right = sign_of(memcmp(strings[i], strings[j], order->string_bytes)) == wanted;
    uint32_t common = 0;
    while (common < order->string_bytes && strings[i][common] == strings[j][common])
        common++;
    for (uint32_t from = 0; from <= common; from += 1 + from / 8)
        right =
            right && sign_of(gs_record_compare_from(order, records[i], records[j], from)) == wanted;
    right =
        right && sign_of(gs_record_compare_from(order, records[i], records[j], common)) == wanted;
    bool same = true;
    for (uint32_t k = 0; k < order->format.key_count; k++) {
        const struct gs_key_field *key = &order->format.keys[k];
        same = same &&
               memcmp(records[i] + key->offset, records[j] + key->offset, key->type.bytes) == 0;
    }
    return right && gs_record_same_keys(order, records[i], records[j]) == same;
}

/* A word never contradicts the order, and tells it where it can. */
static bool follows_rightly(const struct gs_record_order *order, size_t i, size_t j)
{
    const int wanted = compare_right(&order->format, records[i], records[j]);
    const bool same = gs_record_same_keys(order, records[i], records[j]);
    const uint64_t of_i = gs_record_word(order, records[i]);
    const uint64_t of_j = gs_record_word(order, records[j]);
    bool right = of_i == of_j || (!same && (of_i < of_j) == (wanted < 0));
    if (order->format.keys[0].woven == 0 && (order->key_parts == 1 || order->format.key_count == 1))
        right =
            right && (of_i == of_j) == (memcmp(strings[i], strings[j],
                                               order->key_bytes < 8 ? order->key_bytes : 8) == 0);
    for (int way = 0; way < 4; way++) {
        const bool reverse = way % 2 != 0;
        const bool distinct = way / 2 != 0;
        const bool follows = (reverse ? wanted >= 0 : wanted <= 0) && !(distinct && same);
        right =
            right && gs_record_follows(order, records[i], records[j], reverse, distinct) == follows;
    }
    return right;
}

static void check_format(const char *record, const char *const *keys, bool stable)
{
    struct gs_format_options options = {.record = record};
    struct gs_format format;
    struct gs_record_order order;
    struct gs_error err = {.status = GS_OK};
    for (size_t k = 0; keys[k] != NULL; k++)
        CHECK_EQUAL(gs_format_add_key(&options, keys[k], &err), GS_OK);
    if (!CHECK_EQUAL(gs_format_parse(&format, &options, &err), GS_OK))
        return;
    format.stable = stable;
    gs_record_order_init(&order, &format);
    make_records(&format, 1 + format.record_bytes);
    memset(strings, 0, sizeof strings);
    bool right = true;
    for (size_t i = 0; i < RECORDS; i++)
        for (uint32_t at = 0; at < order.string_bytes; at += HEAD)
            spread(gs_record_head_at(&order, records[i], at), strings[i] + at);
    for (size_t i = 0; i < RECORDS; i++) {
        right = right && parts_are_right(&order, i) && words_are_right(&order, i);
        for (size_t j = 0; j < RECORDS; j += 1 + gs_random(i, j) % 5)
            right = right && pair_is_right(&order, i, j) && follows_rightly(&order, i, j);
    }
    if (!CHECK(right))
        fprintf(stderr, "records of %s bytes by %s ...%s\n", record, keys[0] ? keys[0] : "all",
                stable ? ", stable" : "");
}

/* A key of each type, ascending and descending, at an odd place. */
static void check_types(bool stable)
{
    for (int t = 0; t < ALL_TYPES; t++) {
        char up[32];
        char down[32];
        snprintf(up, sizeof up, "3:%s", all_types[t]);
        snprintf(down, sizeof down, "3:%sr", all_types[t]);
        check_format("40", (const char *const[]){up, NULL}, stable);
        check_format("40", (const char *const[]){down, NULL}, stable);
    }
}

static void check_several(bool stable)
{
    static const char *const sets[][6] = {
        {"100", "0:b10"},
        {"100", "90:b10"},
        {"17", NULL},
        {"300", NULL},
        {"300", "7:b200", "0:u16be"},
        {"64", "0:b3", "3:b5", "8:u64be", "16:b1"}, /* bytes in a row */
        {"64", "0:b3", "3:b5", "8:u64", "16:b1"},
        {"64", "8:u64be", "0:u64be"},
        {"32", "8:f64r", "0:u64", "31:i8"},
        {"48", "1:b20r", "30:bf16be"},
        {"24", "0:u128", "16:i64r"}, /* keys are all of the record */
        {"24", "8:i128ber", "0:u64"},
        {"20", "9:b7r", "16:u32", "0:b6"},
        {"8", "4:f32"}, /* narrower than a head */
        {"3", "1:u8"},
        {"12", "0:b10"},
        {"40", "3:u8", "zorder(8:u32,12:i32be,20:u32r)"}, /* woven */
        {"48", "zorder(1:i64,9:u64be,17:u64,25:i64)"},
        {"24", "zorder(16:u64,8:u64,0:u64)r"},
        {"20", "zorder(4:u16,0:u16)", "17:i8r"},
        {"17", "zorder(4:u8,0:u8,16:i8)", "zorder(5:u16,7:u16,9:i16,11:u16)"},
    };
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
        check_format(sets[s][0], sets[s] + 1, stable);
}

int main(void)
{
    for (int stable = 0; stable < 2; stable++) {
        check_types(stable != 0);
        check_several(stable != 0);
    }
    return check_failures();
}
