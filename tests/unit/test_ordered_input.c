/* test_ordered_input.c -- an input in order is recognized across its spans, and any disorder is.
 * SPDX-License-Identifier: MIT
 */
#include "sort/keys/order.h"
#include "sort/keys/params.h"
#include "sort/ways/ordered_input.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"
#include "tests/unit/sort_ways.h"

enum { N = 3 * GS_TILE_KEYS + 5, LAST = N - 1 };

static gs_key keys[N], got[N];

/* Sort to memory, or to a sink that writes; returns the order that was found. */
static const char *order_of(const struct gs_span *spans, size_t count, bool memory)
{
    struct gs_options options = {.threads = 2};
    struct array_sink sink = {.sink = {.memory = memory ? got : NULL, .write = array_write},
                              .keys = got};
    struct gs_stats stats = {0};
    struct gs_error err = {.status = GS_OK};
    CHECK(gs_sort(&options, spans, count, &sink.sink, NULL, &stats, &err) == GS_OK);
    CHECK_EQUAL(gs_first_disorder(&options, got, stats.keys_out, NULL), stats.keys_out);
    return stats.order;
}

static void check(const struct gs_span *spans, size_t count, const char *wanted)
{
    for (int memory = 0; memory < 2; memory++)
        if (!CHECK(strcmp(order_of(spans, count, memory != 0), wanted) == 0))
            fprintf(stderr, "wanted %s, memory %d\n", wanted, memory);
}

/* One key out of order, wherever it is, is seen. */
static void check_disorders(const struct gs_span *spans, size_t count, gs_key wrong)
{
    static const uint64_t places[] = {
        1, 9, 10, 11, 4095, 4096, 5000, GS_TILE_KEYS - 1, GS_TILE_KEYS, GS_TILE_KEYS + 1, LAST - 1};
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        gs_key kept = keys[places[p]];
        keys[places[p]] = wrong;
        check(spans, count, "none");
        keys[places[p]] = kept;
    }
}

int main(void)
{
    const struct gs_span spans[] = {{keys, 0, "a"}, {keys, 10, "b"}, {keys + 10, N - 10, "c"}};
    const struct gs_span swapped[] = {{keys + 10, N - 10, "c"}, {keys, 10, "b"}};
    for (uint64_t i = 0; i < N; i++)
        keys[i] = (gs_key)i / 3 + 100;
    check(NULL, 0, "sorted");
    check(spans, 3, "sorted");
    check(swapped, 2, "none");
    check_disorders(spans, 3, 0);
    gs_order_reverse(keys, N);
    check(spans, 3, "reversed");
    check(swapped, 2, "none");
    check_disorders(spans, 3, GS_KEY_MAX);
    for (uint64_t i = 0; i < N; i++) /* equal as far as one looks */
        keys[i] = 100;
    check(spans, 3, "sorted");
    keys[5000] = 99;
    check(spans, 3, "none");
    return check_failures();
}
