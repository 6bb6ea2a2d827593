/* word_counts.c -- how often each word of 4, 8 or 16 bytes came: a part table without slots.
 * SPDX-License-Identifier: MIT
 *
 * A part is where its hash says, or behind that: one cache miss a word, not two. Those whose number
 * is 0 are empty.
 */
#include "sort/files/word_counts.h"

#include <stdlib.h>
#include <string.h>

/* Words of a block, whose places come to the cache while others are hashed. */
#define BLOCK 32

#define PLACES_LEAST 1024
#define PLACES_MOST  UINT32_MAX

/* A table that is no larger is a quarter full at most, others half: fewer words then meet. */
#define SPARSE_BYTES ((uint64_t)1 << 20)

bool gs_counts_words(const struct gs_part_form *form)
{
    const uint32_t bytes = form->record_bytes;
    return form->counts && (form->how == NULL || form->how->field_count == 0) &&
           form->rows.count == 1 && form->rows.list[0].bytes == bytes &&
           form->part_bytes == bytes + GS_TIMES_BYTES && (bytes == 4 || bytes == 8 || bytes == 16);
}

static inline uint32_t times(const char *part, size_t bytes)
{
    return gs_row_half(part + bytes);
}

static inline void set_times(char *part, size_t bytes, uint32_t number)
{
    memcpy(part + bytes, &number, sizeof number);
}

/* Where parts are: not in the table, as what is written to a part could be that. */
struct places {
    char *parts;
    uint64_t count;
};

static struct places places_of(const struct gs_part_table *table)
{
    return (struct places){table->parts, table->places};
}

/* By 32 bits of the hash: a product of 128 bits would take longer than the rest. */
static inline uint64_t place_of(struct places in, uint64_t hash)
{
    return (hash >> 32) * in.count >> 32;
}

/* The part of a word, or an empty one for it. The second place is looked at without a branch, which
 * nothing could foresee. */
static inline __attribute__((always_inline)) char *find(struct places in, const char *word,
                                                        uint64_t hash, size_t bytes)
{
    const size_t step = bytes + GS_TIMES_BYTES;
    uint64_t place = place_of(in, hash);
    const char *first = in.parts + place * step;
    place += (unsigned)!gs_row_same(first, word, bytes) & (unsigned)(times(first, bytes) != 0);
    for (;; place++) {
        place = place < in.count ? place : 0;
        char *part = in.parts + place * step;
        if (gs_row_same(part, word, bytes) || times(part, bytes) == 0)
            return part;
    }
}

static uint64_t hash_of(const struct gs_part_form *form, const char *word)
{
    return gs_row_hash(form->seed, word, form->record_bytes);
}

/* Twice as many places, or as many as the limit allows for, which may become three quarters full.
 * Where the system has no memory, it stays as it is. */
static bool grow(struct gs_part_table *table)
{
    const struct gs_part_form *form = table->form;
    const size_t bytes = form->record_bytes;
    const size_t step = form->part_bytes;
    const uint64_t limit = table->limit_bytes / step;
    const uint64_t most = limit < PLACES_MOST ? limit : PLACES_MOST;
    const uint64_t twice = table->places > 0 ? 2 * table->places : PLACES_LEAST;
    struct places larger = {.count = twice < most ? twice : most};
    const uint64_t quarters = twice >= most ? 3 : larger.count * step <= SPARSE_BYTES ? 1 : 2;
    const uint64_t room = larger.count / 4 * quarters;
    if (room > table->room + table->room / 4) /* else it does not pay */
        larger.parts = calloc(larger.count, step);
    if (larger.parts == NULL)
        return false;
    for (uint64_t i = 0; i < table->places; i++) {
        const char *part = table->parts + i * step;
        if (times(part, bytes) != 0)
            memcpy(find(larger, part, hash_of(form, part), bytes), part, step);
    }
    free(table->parts);
    table->parts = larger.parts;
    table->places = larger.count;
    table->room = room;
    return true;
}

/* A word that is not there: false if it has no room. */
static bool begin(struct gs_part_table *table, const char *word)
{
    const size_t bytes = table->form->record_bytes;
    if (table->count == table->room && !grow(table))
        return false;
    char *part = find(places_of(table), word, hash_of(table->form, word), bytes);
    memcpy(part, word, bytes);
    set_times(part, bytes, 1);
    table->count++;
    return true;
}

static inline __attribute__((always_inline)) uint64_t
add_all(struct gs_part_table *table, const char *words, uint64_t count, size_t bytes)
{
    struct places in = places_of(table);
    const uint64_t seed = table->form->seed;
    uint64_t hashes[BLOCK];
    for (uint64_t done = 0, here; done < count; done += here) {
        here = count - done < BLOCK ? count - done : BLOCK;
        for (uint64_t i = 0; i < here; i++) {
            hashes[i] = gs_row_hash(seed, words + i * bytes, bytes);
            __builtin_prefetch(in.parts + place_of(in, hashes[i]) * (bytes + GS_TIMES_BYTES));
        }
        for (uint64_t i = 0; i < here; i++, words += bytes) {
            char *part = find(in, words, hashes[i], bytes);
            const uint32_t before = times(part, bytes);
            if (before > 0)
                set_times(part, bytes, before + 1);
            else if (!begin(table, words))
                return done + i;
            else
                in = places_of(table);
        }
    }
    return count;
}

uint64_t gs_word_counts_add(struct gs_part_table *table, const char *words, uint64_t count)
{
    if (table->places == 0 && !grow(table))
        return 0;
    switch (table->form->record_bytes) {
    case 4:
        return add_all(table, words, count, 4);
    case 8:
        return add_all(table, words, count, 8);
    default:
        return add_all(table, words, count, 16);
    }
}

void gs_word_counts_pack(struct gs_part_table *table)
{
    const size_t step = table->form->part_bytes;
    char *to = table->parts;
    for (uint64_t i = 0; i < table->places; i++) {
        const char *part = table->parts + i * step;
        if (times(part, table->form->record_bytes) == 0)
            continue;
        memmove(to, part, step);
        to += step;
    }
}
