/* reference_records.c -- a plain sort of records with typed keys, by comparing values.
 * SPDX-License-Identifier: MIT
 *
 * On purpose, it shares no code with gsort. As comparing is slow, pointers to the records are first
 * dealt by where the numbers in their first keys come among all of the type; ties are merged, and
 * in the end each record is compared with the one before it.
 */
#include "tests/tools/reference_records.h"
#include "tests/tools/reference_fail.h"
#include "tests/tools/reference_numbers.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    reference_bits number; /* in the first key, unless that is bytes */
    const unsigned char *record;
    uint64_t place; /* the upper bits of where the first key comes */
};

enum { DIGIT_BITS = 11, DIGIT_VALUES = 1 << DIGIT_BITS };

static struct reference_key keys[REFERENCE_KEYS_MAX];
static size_t key_count;
static size_t record_size;
static const struct reference_order *now;

/* Points by their highest bits: those of each number in turn, then the next ones. */
static int compare_points(const struct reference_key *key, const unsigned char *x,
                          const unsigned char *y)
{
    for (uint64_t bit = (uint64_t)1 << (8 * key->width - 1); bit > 0; bit /= 2) {
        for (size_t i = 0; i < key->woven; i++) {
            const struct reference_key *one = &key[i];
            const uint64_t a =
                reference_place(one, reference_number_at(one, x + one->offset)) & bit;
            const uint64_t b =
                reference_place(one, reference_number_at(one, y + one->offset)) & bit;
            if (a != b)
                return (a < b) != (one->down != now->reverse) ? -1 : 1;
        }
    }
    return 0;
}

static int compare_keys(const struct entry *a, const struct entry *b)
{
    for (size_t i = 0; i < key_count; i++) {
        const struct reference_key *key = &keys[i];
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
            order = reference_compare(key, a->number, b->number);
        else
            order =
                reference_compare(key, reference_number_at(key, x), reference_number_at(key, y));
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

/* Where a point comes, as far as its first 64 bits say. */
static uint64_t place_of_point(const struct reference_key *key, const unsigned char *record)
{
    uint64_t places[REFERENCE_KEYS_MAX], place = 0;
    size_t bits = 0;
    for (size_t i = 0; i < key->woven; i++)
        places[i] = reference_place(&key[i], reference_number_at(&key[i], record + key[i].offset));
    for (size_t bit = 8 * key->width; bit-- > 0 && bits < 64;)
        for (size_t i = 0; i < key->woven && bits < 64; i++, bits++) {
            const uint64_t set = places[i] >> bit & 1;
            place = place * 2 + (key[i].down != now->reverse ? 1 - set : set);
        }
    return place;
}

/* Where the first key comes. */
static uint64_t first_place(const struct entry *entry)
{
    const struct reference_key *key = &keys[0];
    uint64_t place = 0;
    if (key->woven > 0)
        return place_of_point(key, entry->record);
    if (key->letter == 'b')
        for (size_t i = 0; i < 8; i++)
            place = place * 256 + (i < key->width ? entry->record[key->offset + i] : 0);
    else if (key->width == 16)
        place = (uint64_t)(entry->number >> 64) + (key->letter == 'i' ? (uint64_t)1 << 63 : 0);
    else
        place = reference_place(key, entry->number);
    return key->down != now->reverse ? ~place : place;
}

/* Deal the entries by all digits of their places, but for those that are the same in all. room: for
 * as many. Returns which of the two has them. */
static struct entry *deal_entries(struct entry *entries, size_t n, struct entry *room)
{
    for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
        size_t start[DIGIT_VALUES + 1] = {0};
        for (size_t i = 0; i < n; i++)
            start[(entries[i].place >> shift) % DIGIT_VALUES + 1]++;
        if (n == 0 || start[(entries[0].place >> shift) % DIGIT_VALUES + 1] == n)
            continue;
        for (int v = 0; v < DIGIT_VALUES; v++)
            start[v + 1] += start[v];
        for (size_t i = 0; i < n; i++)
            room[start[(entries[i].place >> shift) % DIGIT_VALUES]++] = entries[i];
        struct entry *other = entries;
        entries = room;
        room = other;
    }
    return entries;
}

/* Sort both halves, then merge them; room: for half of the entries. */
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
    keys[key_count] = reference_read_type(colon + 1);
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
        keys[0] = reference_read_type(order->type);
    else
        keys[0] = (struct reference_key){.letter = 'b', .width = record_size};
    key_count = 1;
    if (order->type != NULL)
        record_size = keys[0].width;
}

static struct entry entry_of(const unsigned char *record)
{
    struct entry entry = {.record = record};
    if (keys[0].letter != 'b')
        entry.number = reference_number_at(&keys[0], record + keys[0].offset);
    entry.place = first_place(&entry);
    return entry;
}

/* Sort the entries; room: for as many. Returns which of the two has them. */
static struct entry *sort_all(struct entry *entries, size_t n, struct entry *room)
{
    struct entry *dealt = deal_entries(entries, n, room);
    struct entry *other = dealt == entries ? room : entries;
    for (size_t i = 0, ties; i < n; i += ties) {
        for (ties = 1; i + ties < n && dealt[i + ties].place == dealt[i].place;)
            ties++;
        sort_entries(dealt + i, ties, other);
    }
    for (size_t i = 1; i < n; i++)
        if (compare_entries(&dealt[i - 1], &dealt[i]) > 0)
            reference_die("internal error", "not in order");
    return dealt;
}

/* A place or a count, in little-endian order. Returns what is behind it. */
static unsigned char *put_number(unsigned char *to, size_t number, size_t width)
{
    for (size_t i = 0; i < width; i++)
        *to++ = (unsigned char)(number >> (8 * i));
    return to;
}

/* Write the records, or where they are in `bytes`, as the order wants it. */
static void write_entries(const struct reference_order *order, const struct entry *entries,
                          size_t n, const unsigned char *bytes)
{
    const int once = order->unique || order->count > 0 || order->repeated || order->single;
    const size_t each = order->index > 0 ? order->index : record_size;
    unsigned char *output = reference_allocate(n * (each + order->count)), *to = output;
    for (size_t i = 0, times; i < n; i += times) {
        for (times = 1; once && i + times < n; times++)
            if (compare_keys(&entries[i], &entries[i + times]) != 0)
                break;
        if (times > 1 ? order->single : order->repeated)
            continue;
        if (order->index > 0)
            to = put_number(to, (size_t)(entries[i].record - bytes) / record_size, each);
        else
            to = (unsigned char *)memcpy(to, entries[i].record, each) + each;
        to = put_number(to, times, order->count);
    }
    fwrite(output, 1, (size_t)(to - output), stdout);
    free(output);
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
    struct entry *entries = reference_allocate(n * sizeof *entries),
                 *room = reference_allocate(n * sizeof *room);
    for (size_t i = 0; i < n; i++)
        entries[i] = entry_of(bytes + i * record_size);
    write_entries(order, sort_all(entries, n, room), n, bytes);
    free(entries);
    free(room);
}
