/* cache_sort_values.c -- sort a bin of a few values, wherever they lie: count each in a hash table.
 * SPDX-License-Identifier: MIT
 *
 * Values that are frequent in a bin but not in the sample have no equality bins: the months of a
 * date, a hundred codes. So few values fit a table in the first-level cache, hardly ever colliding.
 */
#include "sort/bin/cache_sort_impl.h"

#include <assert.h>
#include <string.h>

enum {
    SLOTS_LOG2 = 12,
    SLOTS = 1 << SLOTS_LOG2,
    VALUES_MAX = SLOTS / 16, /* so that values hardly ever collide */
    PASSED_MAX = 8           /* slots probed past a value's home slot, at most */
};

/* The counter of a value; keys == 0: the slot is free. */
struct slot {
    gs_key value;
    uint32_t keys;
};

struct table {
    struct slot slots[SLOTS];
    gs_key values[VALUES_MAX];
    uint32_t count;
};

/* The slot where the search for a value begins. */
static inline uint32_t home_slot(gs_key value)
{
    return value * UINT32_C(2654435769) >> (GS_KEY_BITS - SLOTS_LOG2);
}

/* The slot of a value, or the free one that it is to get. */
static inline struct slot *find_slot(struct table *table, gs_key value)
{
    uint32_t i = home_slot(value);
    while (table->slots[i].keys != 0 && table->slots[i].value != value)
        i = (i + 1) % SLOTS;
    return &table->slots[i];
}

/* Count keys[0 .. count); false if they have too many values, or values that crowd a few slots:
 * with 200 values chosen to collide, each key would have to probe a hundred slots. */
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
