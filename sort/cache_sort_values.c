/* cache_sort_values.c -- sort a bin of a few values, wherever they lie: count each in a hash table.
 * SPDX-License-Identifier: MIT
 *
 * Values that are frequent in a bin, but not in the sample, have no bins of their own: months of a
 * date, a hundred codes. So few fit a table in the first-level cache, with hardly a collision.
 */
#include "sort/cache_sort_impl.h"

#include <assert.h>
#include <string.h>

enum {
    SLOTS_LOG2 = 12,
    SLOTS = 1 << SLOTS_LOG2,
    VALUES_MAX = SLOTS / 16, /* so that hardly two meet in a slot */
    PASSED_MAX = 8           /* others, from a value's slot to the one that it got */
};

/* Counters of a value; no keys: the slot is free. */
struct slot {
    gs_key value;
    uint32_t keys;
};

struct table {
    struct slot slots[SLOTS];
    gs_key values[VALUES_MAX];
    uint32_t count;
};

/* The slot that a value belongs in. */
static inline uint32_t home_slot(gs_key value)
{
    return value * UINT32_C(2654435769) >> (GS_KEY_BITS - SLOTS_LOG2);
}

/* The slot of a value, or the free one where it belongs. */
static inline struct slot *find_slot(struct table *table, gs_key value)
{
    uint32_t i = home_slot(value);
    while (table->slots[i].keys != 0 && table->slots[i].value != value)
        i = (i + 1) % SLOTS;
    return &table->slots[i];
}

/* Count keys[0 .. count); false if they are of more values, or of such that meet in a few slots: of
 * 200 values made to do so each key would have to pass a hundred others. */
static bool count_keys(struct table *table, const gs_key *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct slot *slot = find_slot(table, keys[i]);
        if (slot->keys++ == 0) {
            uint32_t passed = (uint32_t)(slot - table->slots) - home_slot(keys[i]);
            if (table->count == VALUES_MAX || passed % SLOTS > PASSED_MAX)
                return false;
            slot->value = keys[i];
            table->values[table->count++] = keys[i];
        }
    }
    return true;
}

bool gs_cache_sort_values(gs_key *keys, gs_key *scratch, size_t count)
{
    struct table *table = (struct table *)(void *)scratch;

    static_assert(sizeof *table <= GS_CACHE_SORT_SCRATCH * sizeof *scratch / 2, "the table");
    memset(table->slots, 0, sizeof table->slots);
    table->count = 0;
    if (!count_keys(table, keys, count))
        return false;
    gs_key *values = scratch + sizeof *table / sizeof *scratch;
    memcpy(values, table->values, table->count * sizeof *values);
    values = gs_cache_sort_radix(values, values + VALUES_MAX, table->count);
    for (uint32_t i = 0; i < table->count; i++)
        for (uint32_t left = find_slot(table, values[i])->keys; left > 0; left--)
            *keys++ = values[i];
    return true;
}
