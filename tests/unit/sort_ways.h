/* sort_ways.h -- sort an array with each combination of options and compare with sample_sort.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SORT_WAYS_H
#define GS_SORT_WAYS_H

#include "sort/sorter/sorter.h"
#include "sort/types/types.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

/* A sink that copies each piece to its position in an array. */
struct array_sink {
    struct gs_sink sink; /* first: gs_sort hands back a pointer to it */
    gs_key *keys;
};

static inline enum gs_status array_write(struct gs_sink *sink, const void *data, uint64_t count,
                                         uint64_t position, struct gs_error *err)
{
    const gs_key *from = data;
    (void)err;
    memcpy(((struct array_sink *)(void *)sink)->keys + position, from, count * sizeof *from);
    return GS_OK;
}

/* Sort the spans, whose keys are keys[0 .. n) in this order, into got[n] and check the result: in
 * both directions, with and without duplicates and verification, to memory and in pieces. Unless
 * long tests are wanted, half of the combinations are tried, among which any three of these four
 * are in all their combinations. */
static inline void check_sort_ways(const struct gs_span *spans, size_t span_count,
                                   const gs_key *keys, uint64_t n, gs_key *got, unsigned threads)
{
    gs_key *wanted[4];
    uint64_t count[4] = {n, n, n, n};
    gs_key *ascending = sample_sorted(keys, &n, false, false);
    for (unsigned shape = 0; shape < 4; shape++)
        wanted[shape] =
            sample_ordered(ascending, &count[shape], (shape & 1) != 0, (shape & 2) != 0);
    free(ascending);
    for (unsigned flags = 0; flags < 16; flags++) {
        if (__builtin_parity(flags) == 1 && !check_expensive())
            continue;
        struct gs_options options = {.reverse = (flags & 1) != 0,
                                     .unique = (flags & 2) != 0,
                                     .verify = (flags & 4) != 0,
                                     .threads = threads};
        struct array_sink sink = {
            .sink = {.memory = (flags & 8) != 0 ? got : NULL, .write = array_write}, .keys = got};
        struct gs_stats stats = {0};
        struct gs_error err = {.status = GS_OK};
        CHECK(gs_sort(&options, spans, span_count, &sink.sink, NULL, &stats, &err) == GS_OK);
        CHECK_EQUAL(stats.keys_out, count[flags % 4]);
        CHECK(memcmp(got, wanted[flags % 4], count[flags % 4] * sizeof *got) == 0);
    }
    for (unsigned shape = 0; shape < 4; shape++)
        free(wanted[shape]);
}

#endif
