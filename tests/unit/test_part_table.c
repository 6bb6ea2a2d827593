/* test_part_table.c -- a table has one part of each key, with how many there were, and their sum.
 * SPDX-License-Identifier: MIT
 */
#include "common/random.h"
#include "sort/files/part_table.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS    20000
#define VALUES     3000
#define KEY_AT     8
#define PART_BYTES 72

__extension__ typedef __int128 wide;

/* What is summed up: a big-endian i32, or an i64 whose sum has no room in 8 bytes. */
static int64_t summand_of(uint64_t i, uint32_t bytes)
{
    return -(int64_t)(i % 9) * (bytes == 8 ? INT64_MAX / 8 : 1);
}

/* Records of such a number of `bytes` bytes at first, and a key of `key` bytes. */
static void make_records(char *records, uint32_t bytes, uint32_t key)
{
    for (uint64_t i = 0; i < RECORDS; i++, records += KEY_AT + key) {
        const uint64_t value = gs_random(1, i) % VALUES;
        const uint64_t random = gs_random(2, value);
        const uint64_t summand = (uint64_t)summand_of(i, bytes) << (64 - 8 * bytes);
        const uint64_t turned = __builtin_bswap64(summand);
        memcpy(records, &turned, sizeof turned);
        for (uint32_t b = 0; b < key; b++)
            records[KEY_AT + b] = (char)(b < 2 ? value >> (8 * b) : random >> (8 * (b % 8)));
    }
}

static uint64_t value_of(const char *record)
{
    return (uint64_t)(unsigned char)record[KEY_AT] | (uint64_t)(unsigned char)record[KEY_AT + 1]
                                                         << 8;
}

/* Each value once, with its count and sum over the first `count` records. */
static void check_parts(const struct gs_part_table *table, uint64_t count)
{
    const struct gs_combined_field *field = &table->form->how->fields[0];
    static uint64_t times[VALUES];
    static wide sums[VALUES];
    uint64_t all = 0;
    memset(times, 0, sizeof times);
    memset(sums, 0, sizeof sums);
    for (uint64_t i = 0; i < count; i++) {
        times[gs_random(1, i) % VALUES]++;
        sums[gs_random(1, i) % VALUES] += summand_of(i, field->field.type.bytes);
    }
    for (uint64_t i = 0; i < table->count; i++) {
        const struct gs_part_form *form = table->form;
        const char *part = table->parts + i * form->part_bytes;
        const uint64_t value = value_of(part);
        uint32_t often;
        int64_t narrow;
        wide sum;
        memcpy(&often, part + form->record_bytes, sizeof often);
        memcpy(&narrow, part + field->part.offset, sizeof narrow);
        memcpy(&sum, part + field->part.offset, sizeof sum);
        sum = field->part.type.bytes == 8 ? narrow : sum;
        CHECK(value < VALUES && often == times[value] && sum == sums[value]);
        all += often;
        times[value] = 0; /* it must not come again */
    }
    CHECK(all == count);
}

/* Keys that somebody has chosen for their hashes to be the same, by what is known of these: so they
 * are not where the seed is another one. */
static void check_seed(void)
{
    const struct gs_key_rows rows = {.count = 1, .list = {{.at = 0, .bytes = 16}}};
    static bool came[1 << 16];
    unsigned different = 0;
    for (uint64_t i = 0; i < VALUES; i++) {
        const uint64_t key[2] = {gs_random(3, i), 0xe7037ed1a0b428dbU};
        const uint64_t hash = gs_keys_hash(&rows, gs_random(4, 1), (const char *)key) >> 48;
        different += !came[hash];
        came[hash] = true;
    }
    CHECK(different > VALUES - VALUES / 16);
}

/* Parts of all records become one of each key, in place, in the order of the first of each; those
 * whose numbers have no room in one stay apart. */
static void check_in_place(const struct gs_part_form *form, const char *records)
{
    char *parts = malloc((size_t)RECORDS * PART_BYTES);
    uint32_t *slots = malloc(3 * RECORDS * sizeof *slots);
    struct gs_part_table all = {.form = form, .parts = parts};
    const uint32_t most = UINT32_MAX;
    bool came[VALUES] = {false};
    CHECK(parts != NULL && slots != NULL);
    gs_parts_make(form, records, RECORDS, parts);
    all.count = gs_parts_combine(form, parts, RECORDS / 2, slots);
    memmove(parts + all.count * PART_BYTES, parts + RECORDS / 2 * PART_BYTES,
            RECORDS / 2 * PART_BYTES);
    all.count = gs_parts_combine(form, parts, all.count + RECORDS / 2, slots);
    for (uint64_t i = 0, next = 0; i < RECORDS; i++) {
        const uint64_t value = gs_random(1, i) % VALUES;
        if (!came[value])
            CHECK_EQUAL(value_of(parts + next++ * PART_BYTES), value);
        came[value] = true;
    }
    check_parts(&all, RECORDS);
    gs_parts_make(form, records, 1, parts);
    gs_parts_make(form, records, 1, parts + PART_BYTES);
    memcpy(parts + form->record_bytes, &most, sizeof most);
    CHECK_EQUAL(gs_parts_combine(form, parts, 2, slots), 2);
    CHECK(memcmp(parts + form->record_bytes, &most, sizeof most) == 0);
    free(slots);
    free(parts);
}

/* Words that are counted: each has its number, also when the table is full, and used again. */
static void check_words(uint32_t bytes)
{
    const struct gs_part_form form = {.counts = true,
                                      .seed = gs_random(4, bytes),
                                      .rows = {.count = 1, .list = {{.at = 0, .bytes = bytes}}},
                                      .record_bytes = bytes,
                                      .part_bytes = bytes + GS_TIMES_BYTES};
    const uint64_t limits[] = {UINT64_MAX, 16384, 80, 0};
    char *words = calloc(RECORDS, bytes);
    if (words == NULL)
        abort();
    for (uint64_t i = 0; i < RECORDS; i++) {
        const uint64_t value = gs_random(1, i) % VALUES; /* 0 is one, too */
        memcpy(words + i * bytes, &value, sizeof(uint32_t));
        memcpy(words + (i + 1) * bytes - sizeof(uint32_t), &value, sizeof(uint32_t));
    }
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        struct gs_part_table table = {.form = &form, .limit_bytes = limits[l]};
        uint64_t taken = gs_part_table_add(&table, words, RECORDS);
        CHECK(l == 0 ? taken == RECORDS : taken < RECORDS);
        CHECK((taken > 0) == (limits[l] > 0) && table.count <= table.room);
        for (int again = 0; again < 2 && taken > 0; again++) {
            uint64_t times[VALUES] = {0};
            for (uint64_t i = 0; i < taken; i++)
                times[gs_random(1, i) % VALUES]++;
            gs_part_table_pack(&table);
            for (uint64_t i = 0; i < table.count; i++) {
                const char *part = table.parts + i * form.part_bytes;
                uint32_t value, often;
                memcpy(&value, part, sizeof value);
                memcpy(&often, part + bytes, sizeof often);
                CHECK(value < VALUES && often > 0 && often == times[value]);
                CHECK(memcmp(part + bytes - sizeof value, &value, sizeof value) == 0);
                taken -= often;
                times[value] = 0;
            }
            CHECK_EQUAL(taken, 0);
            gs_part_table_clear(&table);
            taken = gs_part_table_add(&table, words, RECORDS / 2);
            CHECK(taken > 0);
        }
        gs_part_table_free(&table);
    }
    free(words);
}

static void check_key(uint32_t key, uint32_t bytes)
{
    struct gs_combine how = {.field_count = 1};
    struct gs_format format = {.record_bytes = KEY_AT + key, .key_count = 1};
    format.keys[0] =
        (struct gs_key_field){.offset = KEY_AT, .type = {.kind = GS_TYPE_BYTES, .bytes = key}};
    how.fields[0] = (struct gs_combined_field){.fold = GS_COMBINE_SUM};
    how.fields[0].field.type =
        (struct gs_key_type){.kind = GS_TYPE_SIGNED, .bytes = bytes, .big_endian = true};
    how.fields[0].part.offset = format.record_bytes + GS_TIMES_BYTES;
    how.fields[0].part.type =
        (struct gs_key_type){.kind = GS_TYPE_SIGNED, .bytes = bytes == 4 ? 8 : 16};
    const struct gs_part_form form = {.how = &how,
                                      .counts = true,
                                      .rows = gs_key_rows(&format),
                                      .record_bytes = format.record_bytes,
                                      .part_bytes = PART_BYTES};
    char *records = malloc((size_t)RECORDS * format.record_bytes);
    CHECK(records != NULL);
    make_records(records, bytes, key);
    struct gs_part_table table = {.form = &form, .limit_bytes = UINT64_MAX};
    CHECK(gs_part_table_add(&table, records, RECORDS) == RECORDS);
    check_parts(&table, RECORDS);
    gs_part_table_clear(&table);
    CHECK(gs_part_table_add(&table, records, 77) == 77);
    check_parts(&table, 77);
    /* Sums have room for 2^32 summands. */
    table.added = UINT32_MAX - 23;
    CHECK(gs_part_table_add(&table, records + 77 * format.record_bytes, 77) == 23);
    check_parts(&table, 100);
    gs_part_table_free(&table);
    check_in_place(&form, records);
    /* With room for some of the keys, it tells where it stopped. */
    struct gs_part_table small = {.form = &form, .limit_bytes = 100000};
    const uint64_t taken = gs_part_table_add(&small, records, RECORDS);
    CHECK(taken > 0 && taken < RECORDS && small.count == small.room);
    check_parts(&small, taken);
    gs_part_table_free(&small);
    free(records);
}

int main(void)
{
    static const uint32_t keys[] = {2, 3, 4, 7, 8, 11, 12, 16, 20, 33};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        check_key(keys[i], 4);
        check_key(keys[i], 8);
    }
    for (uint32_t bytes = 4; bytes <= 16; bytes *= 2)
        check_words(bytes);
    check_seed();
    return 0;
}
