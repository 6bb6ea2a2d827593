/* test_rewritten_keys.c -- another thread overwrites the input all the time, as in a mapped file.
 * SPDX-License-Identifier: MIT
 *
 * A bin found is that of the key copied, whichever value that had. A sort or a merge reports that
 * the input has changed, or gives keys in order.
 */
#include "sort/merge/merge.h"
#include "sort/keys/order.h"
#include "sort/keys/params.h"
#include "sort/split/search_bins.h"
#include "sort/split/sort_samples.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"
#include "sort/sorter/sorter.h"

#include <pthread.h>
#include <stdatomic.h>

enum { BLOCK = 2048, SAMPLES = 4096 };

/* The keys that are overwritten, with one of two contents by turns: [count] each. */
static gs_key *keys;
static const gs_key *contents[2];
static uint64_t count;
static atomic_bool stop;

static void *rewrite(void *unused)
{
    (void)unused;
    for (unsigned turn = 0; !atomic_load(&stop); turn++)
        for (uint64_t i = 0; i < count; i++)
            *(volatile gs_key *)(keys + i) = contents[turn % 2][i];
    return NULL;
}

static pthread_t start_writer(gs_key *to, const gs_key *one, const gs_key *other, uint64_t n)
{
    pthread_t writer;
    keys = to;
    contents[0] = one;
    contents[1] = other;
    count = n;
    atomic_store(&stop, false);
    if (pthread_create(&writer, NULL, rewrite, NULL) != 0)
        abort();
    return writer;
}

static void stop_writer(pthread_t writer)
{
    atomic_store(&stop, true);
    pthread_join(writer, NULL);
}

/* The key copied and the bin found agree: each key is read only once. The kinds give different
 * guides, with more or fewer steps. */
static void test_bins(enum sample_kind kind, uint32_t wanted)
{
    static struct gs_splitters splitters;
    static gs_key written[BLOCK], copy[BLOCK], ends[BLOCK];
    static uint16_t bins[BLOCK];
    gs_key *sample = sample_make(kind, SAMPLES);
    gs_key *others = sample_make(kind, BLOCK);
    uint64_t parted = 0;
    for (size_t i = 0; i < BLOCK; i++)
        ends[i] = i % 2 == 0 ? 0 : GS_KEY_MAX;
    gs_sort_samples(sample, SAMPLES);
    gs_splitters_choose(&splitters, sample, SAMPLES, wanted, 0);
    gs_splitters_snap(&splitters, sample, SAMPLES, wanted, 0);
    pthread_t writer = start_writer(written, ends, others, BLOCK);
    const int blocks = check_expensive() ? 5000 : 250;
    for (int block = 0; block < blocks; block++) {
        gs_find_bins(&splitters, written, BLOCK - (uint64_t)(block % 16), copy, bins);
        for (int i = 0; i < BLOCK - block % 16; i++)
            parted +=
                bins[i] != gs_splitters_bin(&splitters, splitters.guide, splitters.steps, copy[i]);
    }
    stop_writer(writer);
    CHECK_EQUAL(parted, 0);
    free(sample);
    free(others);
}

static gs_key *output;

static enum gs_status store(struct gs_sink *sink, const void *data, uint64_t n, uint64_t position,
                            struct gs_error *err)
{
    const gs_key *sorted = data;
    (void)sink, (void)err;
    memcpy(output + position, sorted, (size_t)n * sizeof *sorted);
    return GS_OK;
}

/* Sort or merge an input that is overwritten: an error or keys in order, nothing else. */
static void test_output(enum sample_kind one, enum sample_kind other, uint64_t n, bool merges,
                        bool memory)
{
    gs_key *first = sample_make(one, n), *second = sample_make(other, n);
    gs_key *input = sample_make(one, n);
    struct gs_options options = {.threads = 2, .device = GS_DEVICE_CPU};
    struct gs_span spans[] = {{input, n / 3, "a"}, {input + n / 3, n - n / 3, "b"}};
    output = calloc(n, sizeof *output);
    if (output == NULL)
        abort();
    pthread_t writer = start_writer(input, first, second, n);
    const int runs = check_expensive() ? 4 : 2;
    for (int run = 0; run < runs; run++) {
        struct gs_sink sink = {.write = store, .memory = memory ? output : NULL};
        struct gs_stats stats = {0};
        struct gs_error err = {.status = GS_OK};
        enum gs_status st = merges ? gs_merge(&options, spans, 2, &sink, NULL, &stats, &err)
                                   : gs_sort(&options, spans, 2, &sink, NULL, &stats, &err);
        CHECK(st == GS_ERR_INPUT || (st == GS_OK && gs_order_ascending(output, n)));
    }
    stop_writer(writer);
    free(first);
    free(second);
    free(input);
    free(output);
}

int main(void)
{
    static const uint64_t sizes[] = {GS_ONE_BIN_KEYS, GS_FEW_KEYS / 2, 3 * GS_FEW_KEYS / 2,
                                     GS_SHARES_KEYS + 1};
    for (int kind = 0; kind < SAMPLE_KINDS; kind++)
        test_bins((enum sample_kind)kind, kind % 2 != 0 ? 64 : 1000);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int memory = 0; memory < 2; memory++) {
            test_output(SAMPLE_UNIFORM, SAMPLE_SKEWED, sizes[i], false, memory != 0);
            test_output(SAMPLE_SORTED, SAMPLE_REVERSED, sizes[i], false, memory != 0);
        }
        test_output(SAMPLE_FEW, SAMPLE_UNIFORM, sizes[i], false, false);
        test_output(SAMPLE_SORTED, SAMPLE_EQUAL, sizes[i], true, false);
    }
    return check_failures();
}
