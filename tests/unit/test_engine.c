/* test_engine.c -- the layout of lists, and the CPU's engines against qsort.
 * SPDX-License-Identifier: MIT
 *
 * Each n up to 300 and the capacity are tested with all numbers of lists, others near the capacity
 * and up to 4100 with one or two, all of these only if long tests are wanted; the kinds of keys
 * take turns.
 */
#include "sort/engines/engine.h"
#include "sort/engines/engine_cpu.h"
#include "sort/engines/list_engines.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"
#include "sort/keys/fingerprint.h"
#include "sort/sorter/sorter.h"

enum { MERGES = GS_LIST_MERGE_HYBRID + 1, LISTS = 9, ALL_LISTS_MAX = 300, SMALL_MAX = 4100 };

/* Written behind the last word that may be used, and behind the output. */
#define GUARD 0xdeadbeefU

static gs_key words[2 * GS_ENGINE_CAPACITY];
static gs_key out[GS_ENGINE_CAPACITY + 1];

/* The bits in which any two keys differ. */
static gs_key find_varying(const gs_key *keys, uint32_t n)
{
    gs_key varying = 0;
    for (uint32_t i = 1; i < n; i++)
        varying |= keys[i] ^ keys[i - 1];
    return varying;
}

/* Sort keys by one merge and compare with their sorted copy. */
static bool check_merge(enum gs_list_merge merge, uint32_t lists, const gs_key *keys,
                        const gs_key *sorted, uint32_t n)
{
    uint32_t used = gs_lists_words(n, lists);
    if (n > 0)
        memcpy(words, keys, n * sizeof *keys);
    words[used] = GUARD;
    out[n] = GUARD;
    bool good = CHECK_EQUAL(gs_sort_lists_cpu(words, n, lists), find_varying(keys, n));
    for (uint32_t i = lists; i < n && good; i++)
        good = CHECK(words[i - lists] <= words[i]);
    gs_merge_lists_cpu(merge, words, n, lists, out);
    return CHECK(n == 0 || memcmp(out, sorted, n * sizeof *out) == 0) &&
           CHECK_EQUAL(words[used], GUARD) && CHECK_EQUAL(out[n], GUARD) && good;
}

/* Sort n keys by each merge, with 2^first to 2^last lists. */
static void check_size(enum sample_kind kind, uint32_t n, int first, int last)
{
    gs_key *keys = sample_make(kind, n);
    uint64_t count = n;
    gs_key *sorted = sample_sorted(keys, &count, false, false);
    for (int merge = 0; merge < MERGES; merge++)
        for (int log2_lists = first; log2_lists <= last; log2_lists++)
            if (!check_merge((enum gs_list_merge)merge, 1U << log2_lists, keys, sorted, n))
                fprintf(stderr, "%" PRIu32 " keys of kind %d, merge %d, 2^%d lists\n", n, (int)kind,
                        merge, log2_lists);
    free(keys);
    free(sorted);
}

/* Every small size sorts correctly: rows and scratch of the lists depend on its remainders. */
static void test_all_sizes(void)
{
    for (uint32_t n = 0; n <= ALL_LISTS_MAX; n++)
        check_size((enum sample_kind)(n % SAMPLE_KINDS), n, 0, LISTS - 1);
    for (uint32_t n = ALL_LISTS_MAX + 1; n <= SMALL_MAX; n += check_expensive() ? 1 : 5)
        check_size((enum sample_kind)(n % SAMPLE_KINDS), n, (int)(n % LISTS), (int)(n % LISTS));
}

/* The largest inputs that an engine takes, where the layout leaves no spare word. */
static void test_capacity(void)
{
    static const uint32_t below[] = {0, 1, 31, 255, 257};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        const bool all = i == 0 || check_expensive();
        check_size(i % 2 == 0 ? SAMPLE_UNIFORM : SAMPLE_ENDS, GS_ENGINE_CAPACITY - below[i],
                   all ? 0 : (int)i * 2 - 1, all ? LISTS - 1 : (int)i * 2);
    }
    for (int kind = 0; kind < SAMPLE_KINDS; kind++)
        check_size((enum sample_kind)kind, GS_ENGINE_CAPACITY, 5, 5);
}

/* Lists hold all keys and, up to the capacity of a block, fit any size of shared memory. */
static void test_layout(void)
{
    static const unsigned blocks[] = {48 * 1024,  64 * 1024,  99 * 1024,
                                      100 * 1024, 163 * 1024, GS_ENGINE_SHARED_BYTES};
    for (uint32_t lists = 1; lists <= GS_OPTION_LISTS_MAX; lists *= 2) {
        for (uint32_t n = 0; n < 1000; n++) {
            uint32_t sum = 0;
            for (uint32_t i = 0; i < lists; i++)
                sum += gs_lists_length(n, lists, i);
            CHECK_EQUAL(sum, n);
            CHECK(gs_lists_length(n, lists, 0) == gs_lists_rows(n, lists));
            CHECK_EQUAL(gs_lists_scratch(n, lists) % lists, 0);
        }
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
            for (uint32_t less = 0; less < 600; less++)
                CHECK(gs_lists_words(GS_LISTS_CAPACITY(blocks[b]) - less, lists) * GS_KEY_BYTES <=
                      blocks[b]);
    }
}

/* The default number of lists is a valid one for each n: a power of two within its limits. */
static void test_defaults(void)
{
    for (uint32_t n = 0; n <= GS_ENGINE_CAPACITY; n++) {
        for (int device = GS_DEVICE_CPU; device <= GS_DEVICE_GPU; device++) {
            uint32_t lists = gs_engine_default_lists((enum gs_device)device, n);
            CHECK(lists >= 1 && lists <= GS_OPTION_LISTS_MAX && (lists & (lists - 1)) == 0);
        }
    }
    CHECK(!gs_engine_uses_lists(GS_ENGINE_AUTO) && !gs_engine_uses_lists(GS_ENGINE_SAMPLESORT));
    CHECK(gs_engine_uses_lists(GS_ENGINE_ATOMICMIN) && gs_engine_uses_lists(GS_ENGINE_HYBRID));
}

/* gs_sort with each engine: output and stats are right, and one key too many is refused with an
 * error that names the capacity and the engine to use instead. */
static void test_call(void)
{
    gs_key *keys = sample_make(SAMPLE_SKEWED, GS_ENGINE_CAPACITY + 1);
    for (int e = GS_ENGINE_ATOMICMIN; e <= GS_ENGINE_HYBRID; e++) {
        for (int merging = 0; merging < 2; merging++) {
            uint64_t n = 3000;
            struct gs_options options = {.engine = (enum gs_engine)e,
                                         .device = GS_DEVICE_CPU,
                                         .lists = 64,
                                         .reverse = merging == 1,
                                         .unique = merging == 1,
                                         .verify = true};
            struct gs_span spans[] = {{keys, 1000, "a"}, {keys + 1000, 2000, "b"}};
            struct gs_sink sink = {.memory = out};
            struct gs_stats stats = {0};
            struct gs_error err = {.status = GS_OK};
            CHECK_EQUAL(gs_sort(&options, spans, 2, &sink, NULL, &stats, &err), GS_OK);
            gs_key *sorted = sample_sorted(keys, &n, options.reverse, options.unique);
            CHECK_EQUAL(stats.keys_out, n);
            CHECK(memcmp(out, sorted, n * sizeof *out) == 0);
            CHECK_EQUAL(stats.fingerprint, gs_fingerprint(sorted, n));
            CHECK(strcmp(stats.engine, gs_engine_name((enum gs_engine)e)) == 0);
            CHECK(stats.device == GS_DEVICE_CPU);
            CHECK_EQUAL(stats.lists, 64);
            CHECK_EQUAL(stats.varying_bits, (unsigned)__builtin_popcount(find_varying(keys, 3000)));
            CHECK_EQUAL(stats.stages[GS_STAGE_SORT_LISTS].keys, 3000);
            CHECK_EQUAL(stats.stages[GS_STAGE_MERGE_LISTS].keys, 3000);
            free(sorted);
            spans[1].count = GS_ENGINE_CAPACITY;
            spans[0].count = 1;
            CHECK_EQUAL(gs_sort(&options, spans, 2, &sink, NULL, &stats, &err), GS_ERR_INPUT);
            CHECK(strstr(err.text, "38656") != NULL && strstr(err.text, "samplesort") != NULL);
        }
    }
    free(keys);
}

int main(void)
{
    test_layout();
    test_defaults();
    test_all_sizes();
    test_capacity();
    test_call();
    return check_failures();
}
