/* reference_records.c -- a plain sort of records with typed keys, by comparing values.
 * SPDX-License-Identifier: MIT
 *
 * On purpose, it shares no code with gsort: types are taken apart here by a reading of their own,
 * floats are compared as numbers, and the sort merges pointers to the records, each beside the
 * number in its first key, which is so taken apart only once.
 */
#include "tests/tools/reference_records.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 bits128;
__extension__ typedef __int128 signed128;

struct key {
    size_t offset;
    size_t width;
    char letter; /* u, i, f, B (bf16), M (dates, and what numpy calls m8), b */
    int big;
    int down;
    size_t woven; /* of zorder(): so many from this one on are one key */
};

struct entry {
    bits128 number; /* in the first key, unless that is bytes */
    const unsigned char *record;
};

static struct key keys[REFERENCE_KEYS_MAX];
static size_t key_count;
static size_t record_size;
static const struct reference_order *now;

/* Read "u32ber": one letter (two for bf16), a number, a unit of dates, be, r. */
static struct key read_type(const char *text)
{
    struct key key = {.letter = *text == 'm' ? 'M' : *text};
    const char *number = text + 1;
    if (strncmp(text, "bf16", 4) == 0) {
        key.letter = 'B';
        number++;
    }
    char *end;
    key.width = strtoul(number, &end, 10);
    if (key.letter != 'b' && key.letter != 'M')
        key.width /= 8;
    if (key.letter == 'M' && *end == '[')
        end += strcspn(end, "]") + 1;
    if (strncmp(end, "be", 2) == 0) {
        key.big = 1;
        end += 2;
    }
    if (*end == 'r') {
        key.down = 1;
        end++;
    }
    if (strchr("uifbMm", *text) == NULL || key.width == 0 || *end != '\0')
        reference_die(text, "no such type");
    return key;
}

/* The number in the bytes, as it is in its memory; a signed one has all bits of its sign. */
static bits128 number_at(const struct key *key, const unsigned char *at)
{
    bits128 number = 0;
    for (size_t i = 0; i < key->width; i++)
        number = number * 256 + at[key->big ? i : key->width - 1 - i];
    const size_t rest = 128 - 8 * key->width;
    return key->letter == 'i' ? (bits128)((signed128)(number << rest) >> rest) : number;
}

/* The value of a float; f16 by the formula of IEEE 754. */
static double value_of(const struct key *key, bits128 number)
{
    const uint64_t bits = (uint64_t)number;
    const uint32_t half = (uint32_t)number;
    const uint32_t single = key->letter == 'B' ? half << 16 : half;
    if (key->width == 8) {
        double value;
        memcpy(&value, &bits, 8);
        return value;
    }
    if (key->width == 4 || key->letter == 'B') {
        float value;
        memcpy(&value, &single, 4);
        return (double)value;
    }
    const double sign = (half & 0x8000) != 0 ? -1.0 : 1.0;
    const int exponent = (int)(half / 1024 % 32);
    const int fraction = (int)(half % 1024);
    if (exponent == 31)
        return fraction == 0 ? sign * (double)INFINITY : (double)NAN;
    return exponent == 0 ? sign * ldexp(fraction, -24)
                         : sign * ldexp(1024 + fraction, exponent - 25);
}

/* Numbers first, in order, -0 before +0; then NaNs without a sign, up; then those with one, down.
 */
static int compare_floats(const struct key *key, bits128 a, bits128 b)
{
    const double x = value_of(key, a);
    const double y = value_of(key, b);
    const int a_sign = (int)(a >> (8 * key->width - 1));
    const int b_sign = (int)(b >> (8 * key->width - 1));
    const int a_group = !isnan(x) ? 0 : 1 + a_sign;
    const int b_group = !isnan(y) ? 0 : 1 + b_sign;
    if (a_group != b_group)
        return a_group < b_group ? -1 : 1;
    if (a_group == 0 && x != y)
        return x < y ? -1 : 1;
    if (a_group == 0 && a_sign != b_sign)
        return a_sign != 0 ? -1 : 1;
    if (a == b || a_group == 0)
        return 0;
    return (a < b) == (a_group == 1) ? -1 : 1;
}

/* Dates are signed; the least is none, and behind all others. */
static int compare_dates(uint64_t x, uint64_t y)
{
    const int64_t v = (int64_t)x;
    const int64_t w = (int64_t)y;
    if (v == w)
        return 0;
    if (v == INT64_MIN || w == INT64_MIN)
        return v == INT64_MIN ? 1 : -1;
    return v < w ? -1 : 1;
}

static int compare_numbers(const struct key *key, bits128 x, bits128 y)
{
    if (key->letter == 'M')
        return compare_dates((uint64_t)x, (uint64_t)y);
    if (key->letter == 'f' || key->letter == 'B')
        return compare_floats(key, x, y);
    if (key->letter == 'u')
        return x < y ? -1 : x > y;
    const signed128 v = (signed128)x;
    const signed128 w = (signed128)y;
    return v < w ? -1 : v > w;
}

/* How many numbers of the type come before this one. */
static uint64_t place_of(const struct key *key, bits128 number)
{
    const uint64_t most = UINT64_MAX >> (64 - 8 * key->width);
    const uint64_t half = most / 2 + 1;
    const uint64_t bits = (uint64_t)number & most;
    const uint64_t size = bits % half;
    const uint64_t fraction = key->letter == 'B' ? 128
                              : key->width == 2  ? 1024
                              : key->width == 4  ? (uint64_t)1 << 23
                                                 : (uint64_t)1 << 52;
    const uint64_t infinity = half - fraction;
    if (key->letter == 'u')
        return bits;
    if (key->letter == 'i')
        return bits < half ? bits + half : size;
    if (key->letter == 'M')
        return bits < half ? bits + half - 1 : size > 0 ? size - 1 : most;
    if (size <= infinity)
        return bits < half ? infinity + 1 + size : infinity - size;
    const uint64_t numbers = 2 * (infinity + 1);
    if (bits < half)
        return numbers + size - infinity - 1;
    return numbers + (half - 1 - infinity) + (half - 1 - size);
}

/* Points by their highest bits: those of each number in turn, then the next ones. */
static int compare_points(const struct key *key, const unsigned char *x, const unsigned char *y)
{
    for (uint64_t bit = (uint64_t)1 << (8 * key->width - 1); bit > 0; bit /= 2) {
        for (size_t i = 0; i < key->woven; i++) {
            const struct key *one = &key[i];
            const uint64_t a = place_of(one, number_at(one, x + one->offset)) & bit;
            const uint64_t b = place_of(one, number_at(one, y + one->offset)) & bit;
            if (a != b)
                return (a < b) != (one->down != now->reverse) ? -1 : 1;
        }
    }
    return 0;
}

static int compare_keys(const struct entry *a, const struct entry *b)
{
    for (size_t i = 0; i < key_count; i++) {
        const struct key *key = &keys[i];
        const unsigned char *x = a->record + key->offset;
        const unsigned char *y = b->record + key->offset;
        int order;
        if (key->woven > 0) {
            order = compare_points(key, a->record, b->record);
            if (order != 0)
                return order;
            i += key->woven - 1;
            continue;
        }
        if (key->letter == 'b')
            order = memcmp(x, y, key->width);
        else if (i == 0)
            order = compare_numbers(key, a->number, b->number);
        else
            order = compare_numbers(key, number_at(key, x), number_at(key, y));
        if (order != 0)
            return key->down != now->reverse ? -order : order;
    }
    return 0;
}

/* Ties: by all bytes; with -s, by their place in the input. */
static int compare_entries(const struct entry *a, const struct entry *b)
{
    const int order = compare_keys(a, b);
    if (order != 0)
        return order;
    if (now->stable)
        return a->record < b->record ? -1 : a->record > b->record;
    const int bytes = memcmp(a->record, b->record, record_size);
    return now->reverse ? -bytes : bytes;
}

/* Sort both halves, then merge them; room: for half of the entries. (qsort calls and copies by
 * pointers and sizes, which takes twice as long.) */
static void sort_entries(struct entry *entries, size_t n, struct entry *room)
{
    if (n < 2)
        return;
    const size_t half = n / 2;
    sort_entries(entries, half, room);
    sort_entries(entries + half, n - half, room);
    if (compare_entries(&entries[half - 1], &entries[half]) <= 0)
        return;
    memcpy(room, entries, half * sizeof *entries);
    size_t left = 0, right = half, to = 0;
    while (left < half && right < n)
        entries[to++] =
            compare_entries(&room[left], &entries[right]) <= 0 ? room[left++] : entries[right++];
    memcpy(&entries[to], &room[left], (half - left) * sizeof *entries);
}

static void read_one(const char *text)
{
    char *colon;
    const size_t offset = strtoul(text, &colon, 10);
    if (*colon != ':' || key_count == REFERENCE_KEYS_MAX)
        reference_die(text, "no key");
    keys[key_count] = read_type(colon + 1);
    keys[key_count].offset = offset;
    if (offset + keys[key_count].width > record_size)
        reference_die(text, "beyond the record");
    key_count++;
}

/* Read "8:u32", or "zorder(0:u32,4:u32)", perhaps with r behind. */
static void read_key(const char *text)
{
    static const char word[] = "zorder(";
    char copy[256];
    const size_t first = key_count;
    if (strncmp(text, word, sizeof word - 1) != 0) {
        read_one(text);
        return;
    }
    snprintf(copy, sizeof copy, "%s", text + sizeof word - 1);
    char *end = strchr(copy, ')');
    if (end == NULL) {
        reference_die(text, "no end");
        return;
    }
    const int down = end[1] == 'r';
    *end = '\0';
    for (char *left = copy, *one; (one = strsep(&left, ",")) != NULL;)
        read_one(one);
    for (size_t i = first; i < key_count; i++)
        keys[i].down = keys[i].down != down;
    keys[first].woven = key_count - first;
}

static void read_order(const struct reference_order *order)
{
    now = order;
    record_size = order->record;
    key_count = 0;
    for (size_t i = 0; i < order->key_count; i++)
        read_key(order->keys[i]);
    if (key_count > 0)
        return;
    if (order->type != NULL)
        keys[0] = read_type(order->type);
    else
        keys[0] = (struct key){.letter = 'b', .width = record_size};
    key_count = 1;
    if (order->type != NULL)
        record_size = keys[0].width;
}

static struct entry entry_of(const unsigned char *record)
{
    struct entry entry = {.record = record};
    if (keys[0].letter != 'b')
        entry.number = number_at(&keys[0], record + keys[0].offset);
    return entry;
}

/* A place or a count, in little-endian order. */
static void write_number(size_t number, size_t width)
{
    for (size_t i = 0; i < width; i++)
        putchar((int)(number >> (8 * i) & 255));
}

void reference_sort_records(const struct reference_order *order, const unsigned char *bytes,
                            size_t size)
{
    read_order(order);
    if (record_size == 0)
        reference_die("records", "their size is needed");
    if (size % record_size != 0)
        reference_die("input", "not a whole number of records");
    const size_t n = size / record_size;
    struct entry *entries = malloc((n + 1) * sizeof *entries);
    struct entry *room = malloc((n / 2 + 1) * sizeof *entries);
    if (entries == NULL || room == NULL)
        reference_die("memory", "exhausted");
    for (size_t i = 0; i < n; i++)
        entries[i] = entry_of(bytes + i * record_size);
    sort_entries(entries, n, room);
    const int once = order->unique || order->count > 0 || order->repeated || order->single;
    for (size_t i = 0, times; i < n; i += times) {
        for (times = 1; once && i + times < n; times++)
            if (compare_keys(&entries[i], &entries[i + times]) != 0)
                break;
        if (times > 1 ? order->single : order->repeated)
            continue;
        if (order->index > 0)
            write_number((size_t)(entries[i].record - bytes) / record_size, order->index);
        else
            fwrite(entries[i].record, 1, record_size, stdout);
        write_number(times, order->count);
    }
    free(entries);
    free(room);
}
