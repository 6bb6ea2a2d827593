/* test_codec.c -- elements have the order of their records, and become the same records again.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/codec.h"
#include "common/random.h"
#include "tests/unit/check.h"
#include "tests/unit/typed_keys.h"

#include <stdlib.h>

enum { ROOM = 1 << 17, GUARD = 64 };

static test_wide read_element(const struct gs_codec *codec, const unsigned char *at)
{
    test_wide element = 0;
    memcpy(&element, at, codec->element_bytes);
    return element;
}

/* Records become elements in the same order, with the same keys above payload_bits, and are
 * restored, whatever their number; in place, too; nothing beyond the arrays is written. */
static bool codes(const struct gs_codec *codec, const struct gs_format *format,
                  const unsigned char *records, size_t count)
{
    static unsigned char elements[ROOM];
    static unsigned char again[ROOM];
    const size_t record = format->record_bytes;
    const size_t element = format->element_bytes;
    memset(elements, 0x5a, count * element + GUARD);
    memset(again, 0xa5, count * record + GUARD);
    gs_codec_load(codec, records, elements, count);
    gs_codec_store(codec, elements, again, count);
    bool right = memcmp(records, again, count * record) == 0;
    for (size_t i = 0; i < GUARD; i++)
        right = right && elements[count * element + i] == 0x5a && again[count * record + i] == 0xa5;
    for (size_t i = 0; i < count; i++) {
        const size_t j = gs_random(count, i) % count;
        const unsigned char *a = records + i * record;
        const unsigned char *b = records + j * record;
        const test_wide x = read_element(codec, elements + i * element);
        const test_wide y = read_element(codec, elements + j * element);
        const int order = compare_records(format, a, b);
        right = right && (x < y ? -1 : x > y) == order;
        bool same = true;
        for (uint32_t k = 0; k < format->key_count; k++)
            same = same && memcmp(a + format->keys[k].offset, b + format->keys[k].offset,
                                  format->keys[k].type.bytes) == 0;
        const test_wide difference = codec->payload_bits < 128 ? (x ^ y) >> codec->payload_bits : 0;
        right = right && same == (difference == 0);
    }
    if (codec->identity)
        right = right && memcmp(records, elements, count * record) == 0;
    if (record == element) {
        memcpy(again, records, count * record);
        gs_codec_load(codec, again, again, count);
        right = right && memcmp(again, elements, count * element) == 0;
        gs_codec_store(codec, again, again, count);
        right = right && memcmp(again, records, count * record) == 0;
    }
    return right;
}

/* The same with and without vector instructions. */
static bool codes_by_all_means(const struct gs_format *format, const unsigned char *records,
                               size_t count)
{
    struct gs_codec codec;
    gs_codec_init(&codec, format);
    bool right = codes(&codec, format, records, count);
    codec.vectors = false;
    right = right && codes(&codec, format, records, count);
    if (!right)
        fprintf(stderr, "%zu records of %u bytes, key 0 at %u, kind %d of %u bytes%s%s\n", count,
                (unsigned)format->record_bytes, (unsigned)format->keys[0].offset,
                (int)format->keys[0].type.kind, (unsigned)format->keys[0].type.bytes,
                format->keys[0].type.big_endian ? ", big-endian" : "",
                format->keys[0].descending ? ", descending" : "");
    return right;
}

/* Random bytes, few values among them, so that keys are equal often. */
static void fill(unsigned char *records, size_t bytes, uint64_t seed)
{
    static const unsigned char some[] = {0, 1, 0x7f, 0x80, 0xff};
    for (size_t i = 0; i < bytes; i++) {
        const uint64_t random = gs_random(seed, i);
        records[i] = seed % 2 == 0 ? (unsigned char)random : some[(random >> 40) % sizeof some];
    }
}

/* Every type, at every offset in records of every size, both ways, with its special values. */
static void test_one_key(void)
{
    static unsigned char records[ROOM];
    static test_wide bits[SPECIALS_MAX];
    for (int t = 0; t < ALL_TYPES; t++) {
        const struct gs_key_type type = type_of(all_types[t]);
        const size_t count = special_bits(&type, bits);
        for (uint32_t bytes = type.bytes; bytes <= 16; bytes++) {
            for (uint32_t offset = 0; offset + type.bytes <= bytes; offset++) {
                struct gs_format format = {.record_bytes = bytes, .key_count = 1};
                format.keys[0] = (struct gs_key_field){
                    .offset = offset, .type = type, .descending = (offset + bytes) % 2 == 1};
                CHECK(gs_format_finish(&format, NULL) == GS_OK);
                fill(records, count * bytes, offset);
                for (size_t i = 0; i < count; i++)
                    write_bits(&type, records + i * bytes + offset, bits[i]);
                if (!CHECK(codes_by_all_means(&format, records, count)))
                    return;
            }
        }
    }
}

/* Random lists of keys, apart from each other, in random records; any number of records. */
static void test_several_keys(void)
{
    static unsigned char records[ROOM];
    for (uint64_t seed = 0; seed < 4000; seed++) {
        struct gs_format format = {.record_bytes = 1 + (uint32_t)(gs_random(seed, 0) % 16)};
        for (uint64_t i = 1; i < 12; i++) {
            struct gs_key_field *key = &format.keys[format.key_count];
            key->type = type_of(all_types[gs_random(seed, i) % ALL_TYPES]);
            key->offset = (uint32_t)(gs_random(seed, i) >> 32) % format.record_bytes;
            key->descending = gs_random(seed, i) >> 63 != 0;
            format.key_count++;
            if (gs_format_finish(&format, NULL) != GS_OK)
                format.key_count--;
        }
        if (format.key_count == 0 || gs_format_finish(&format, NULL) != GS_OK)
            continue;
        const size_t count = gs_random(seed, 99) % 70;
        fill(records, count * format.record_bytes, seed);
        if (!CHECK(codes_by_all_means(&format, records, count)))
            return;
    }
}

/* Keys that are woven, with others and other bytes around them. */
static void test_woven(void)
{
    static const char *const sets[][4] = {
        {"2", "zorder(0:u8,1:u8)"},
        {"4", "zorder(3:u8,1:i8,0:u8,2:u8r)"},
        {"4", "zorder(2:u16,0:u16be)"},
        {"8", "zorder(4:i32,0:u32)r"},
        {"9", "8:u8r", "zorder(0:u32,4:u32)"},
        {"12", "zorder(0:i32,4:i32,8:i32)"},
        {"13", "zorder(1:u16,5:i16,3:u16)", "zorder(8:u16,10:u16)"},
        {"16", "zorder(0:u64,8:i64be)"},
        {"16", "zorder(12:u32,8:u32,4:u32,0:u32)"},
        {"16", "zorder(0:u16,2:u16,4:u16,6:u16)r", "zorder(8:i16,10:u16,12:u16,14:u16)"},
    };
    static unsigned char records[ROOM];
    struct gs_format format;
    struct gs_error err = {.status = GS_OK};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        struct gs_format_options options = {.record = sets[s][0]};
        for (size_t k = 1; sets[s][k] != NULL; k++)
            CHECK(gs_format_add_key(&options, sets[s][k], &err) == GS_OK);
        if (!CHECK(gs_format_parse(&format, &options, &err) == GS_OK))
            return;
        for (size_t count = 0; count < 1500; count += 1 + count / 3) {
            fill(records, count * format.record_bytes, count + s);
            if (!CHECK(codes_by_all_means(&format, records, count)))
                return;
        }
    }
}

/* All records of two bytes: as one key, and as a key and another byte. */
static void test_all_small(void)
{
    static unsigned char records[ROOM];
    static unsigned char elements[2 * ROOM];
    static unsigned char again[ROOM];
    static unsigned char seen[1 << 16];
    for (int t = 0; t < ALL_TYPES; t++) {
        const struct gs_key_type type = type_of(all_types[t]);
        if (type.bytes > 2)
            continue;
        struct gs_format format = {.record_bytes = 2, .key_count = 1};
        format.keys[0].type = type;
        CHECK(gs_format_finish(&format, NULL) == GS_OK);
        struct gs_codec codec;
        gs_codec_init(&codec, &format);
        for (size_t i = 0; i < 1 << 16; i++)
            memcpy(records + 2 * i, &(uint16_t){(uint16_t)i}, 2);
        gs_codec_load(&codec, records, elements, 1 << 16);
        gs_codec_store(&codec, elements, again, 1 << 16);
        CHECK(memcmp(records, again, sizeof records) == 0);
        memset(seen, 0, sizeof seen);
        static uint16_t in_order[1 << 16];
        for (size_t i = 0; i < 1 << 16; i++) {
            uint32_t element;
            memcpy(&element, elements + 4 * i, 4);
            CHECK((element & 0xffff) == 0);
            seen[element >> 16]++;
            in_order[element >> 16] = (uint16_t)i;
        }
        for (size_t v = 0; v < 1 << 16; v++) {
            if (!CHECK(seen[v] == 1))
                return;
            if (v > 0 && !CHECK(compare_records(&format, (unsigned char *)&in_order[v - 1],
                                                (unsigned char *)&in_order[v]) < 0))
                return;
        }
    }
}

/* Little-endian unsigned records are elements as they are; nothing else is. */
static void test_identity(void)
{
    for (int t = 0; t < ALL_TYPES; t++) {
        const struct gs_format format = gs_format_of(type_of(all_types[t]));
        const struct gs_key_type *type = &format.keys[0].type;
        struct gs_codec codec;
        gs_codec_init(&codec, &format);
        CHECK(codec.identity ==
              (type->kind == GS_TYPE_UNSIGNED && !type->big_endian && type->bytes >= 4));
        CHECK_EQUAL(codec.payload_bits, 8 * (format.element_bytes - type->bytes));
    }
}

int main(void)
{
    test_one_key();
    test_several_keys();
    test_woven();
    test_all_small();
    test_identity();
    return check_failures();
}
