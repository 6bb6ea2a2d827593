/* guarded.h -- device memory between guards, and random records to sort there.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GUARDED_H
#define GS_GUARDED_H

#include "common/random.h"
#include "tests/gpu/gpu_test.h"

#include <stdbool.h>
#include <string.h>

enum { GUARD = 4096, GARBAGE = 0xa5 };

/* Device memory between guards, all of it garbage. `shift` bytes more in front of it misalign it.
 */
struct guarded {
    unsigned char *all, *memory;
    size_t bytes, shift;
};

static inline struct guarded guard(size_t bytes, size_t shift)
{
    struct guarded made = {.bytes = bytes, .shift = shift};
    must(cudaMalloc((void **)&made.all, bytes + shift + 2 * GUARD));
    must(cudaMemset(made.all, GARBAGE, bytes + shift + 2 * GUARD));
    made.memory = made.all + GUARD + shift;
    return made;
}

/* Has nothing been written in front of it or behind it? */
static inline bool is_whole(const struct guarded *made)
{
    unsigned char *front = get(made->all, GUARD + made->shift);
    unsigned char *behind = get(made->memory + made->bytes, GUARD);
    bool whole = true;
    for (size_t i = 0; i < GUARD + made->shift; i++)
        whole = whole && front[i] == GARBAGE;
    for (size_t i = 0; i < GUARD; i++)
        whole = whole && behind[i] == GARBAGE;
    free(front);
    free(behind);
    return whole;
}

/* Random records; one in four has bytes that make infinities, NaNs and zeros, or repeats another.
 */
static inline unsigned char *make_records(uint64_t count, size_t size)
{
    static const unsigned char ends[] = {0x00, 0xff, 0x7f, 0x80};
    unsigned char *records = malloc(count * size + sizeof(uint64_t));
    if (records == NULL)
        abort();
    for (uint64_t at = 0; at < count * size; at += sizeof(uint64_t)) {
        const uint64_t random = gs_random(size, at);
        memcpy(records + at, &random, sizeof random);
    }
    for (uint64_t i = 0; i < count; i += 4) {
        const uint64_t how = gs_random(size + 1, i);
        unsigned char *record = records + i * size;
        if (how % 2 == 0)
            for (size_t b = 0; b < size; b++)
                record[b] = ends[gs_random(size + 2, i * size + b) % 4];
        else
            memmove(record, records + (how >> 8) % (i + 1) * size, size);
    }
    return records;
}

#endif
