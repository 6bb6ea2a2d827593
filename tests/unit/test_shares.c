/* test_shares.c -- shares hold all keys once, fit their places and are sorted.
 * SPDX-License-Identifier: MIT
 */
#include "sort/bin/vqsort.h"
#include "sort/keys/order.h"
#include "sort/keys/params.h"
#include "sort/ways/shares.h"
#include "sort/ways/shares_highway.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"
#include "tests/unit/sort_ways.h"
#include "sort/sorter/sorter.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>

enum { N = GS_ONE_BIN_KEYS + 17, SAMPLES = 1024, GUARD = 0x600d };

#if GS_HIGHWAY && GS_BITS == 32

/* Keys behind each part, which must not be written. */
#define GUARDS 64

/* Count a share and take it into rooms with `spare` places more (or fewer) than needed: keys keep
 * their order, a room too small is reported, and nothing is written behind one. */
static void test_take(const struct gs_share *share, const gs_key *keys, size_t count, int spare)
{
    uint64_t ends[3] = {0}, before = 0, below = 0, above = 0;
    for (size_t i = 0; i < count; i++) {
        before += keys[i] < share->low;
        below += keys[i] >= share->low && keys[i] < share->equal;
        above += keys[i] > share->equal && keys[i] <= share->last;
    }
    gs_share_count(share, keys, count, ends);
    CHECK_EQUAL(ends[0], before + below);
    CHECK_EQUAL(ends[2] - ends[1], above);
    if (spare < 0 && (below == 0 || above == 0))
        return;
    size_t rooms[2] = {below + (size_t)spare, above + (size_t)spare};
    gs_key *memory[2];
    for (int part = 0; part < 2; part++) {
        memory[part] = malloc((rooms[part] + GUARDS) * sizeof(gs_key));
        if (memory[part] == NULL)
            abort();
        for (size_t i = 0; i < rooms[part] + GUARDS; i++)
            memory[part][i] = GUARD;
    }
    struct gs_share_room room = {memory[0], memory[0] + rooms[0], memory[1], memory[1] + rooms[1]};
    CHECK(gs_share_take(share, keys, count, &room) == (spare >= 0));
    if (spare >= 0) {
        CHECK_EQUAL((uint64_t)(room.below - memory[0]), below);
        CHECK_EQUAL((uint64_t)(room.above - memory[1]), above);
        size_t at[2] = {0, 0};
        bool right = true;
        for (size_t i = 0; i < count; i++) {
            if (keys[i] >= share->low && keys[i] < share->equal)
                right = right && memory[0][at[0]++] == keys[i];
            else if (keys[i] > share->equal && keys[i] <= share->last)
                right = right && memory[1][at[1]++] == keys[i];
        }
        CHECK(right);
    }
    for (int part = 0; part < 2; part++) {
        for (size_t i = 0; i < GUARDS; i++)
            CHECK_EQUAL(memory[part][rooms[part] + i], GUARD);
        free(memory[part]);
    }
}

/* Shares of all widths, also at the ends of the key range, are taken right, even unaligned. */
static void test_takes(void)
{
    static const struct gs_share shares[] = {{0, 0, GS_KEY_MAX},
                                             {0, GS_KEY_MAX, GS_KEY_MAX},
                                             {1, GS_KEY_MAX / 2, GS_KEY_MAX - 1},
                                             {1 << 30, 1 << 30, 3U << 30},
                                             {1 << 30, 3U << 30, 3U << 30},
                                             {7, 8, 8}};
    for (enum sample_kind kind = 0; kind < SAMPLE_KINDS; kind++) {
        gs_key *keys = sample_make(kind, 1000);
        for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
            for (size_t count = 0; count < 1000; count += count < 70 ? 1 : 231)
                for (int spare = -1; spare < 2; spare++)
                    test_take(&shares[i], keys + 1, count, spare);
        free(keys);
    }
}

/* A run with as many keys as may be sorted by shares to a sink that is not memory. */
static struct gs_run run_for(struct gs_options *options, struct gs_sink *sink, unsigned threads)
{
    return (struct gs_run){.options = options,
                           .plan = {.count = GS_SHARES_KEYS_WRITTEN, .threads = threads},
                           .emitter = {.sink = sink}};
}

/* Shares cover all keys from 0 to the largest, each with its `equal`. There are none for one value
 * that fills a share, for bins or samples that are asked for, and for too many keys. */
static void test_find(enum sample_kind kind, unsigned threads)
{
    struct gs_options options = {0};
    struct gs_sink sink = {.memory = NULL};
    struct gs_run run = run_for(&options, &sink, threads);
    struct gs_shares shares;
    gs_key *sample = sample_make(kind, SAMPLES);
    sample_sort(sample, SAMPLES);
    gs_shares_find(&shares, &run, sample, SAMPLES);
    bool few = kind == SAMPLE_EQUAL || (kind == SAMPLE_FEW && threads > 7); /* one value a share */
    CHECK(shares.count <= threads && (shares.count == 0) == few);
    for (uint32_t i = 0; i < shares.count; i++) {
        CHECK(shares.equal[i] <= shares.last[i]);
        CHECK(i == 0 ||
              (shares.last[i] > shares.last[i - 1] && shares.equal[i] > shares.last[i - 1]));
        CHECK((i + 1 < shares.count) == (shares.last[i] < GS_KEY_MAX));
    }
    options.bins = 64; /* as the user asks */
    gs_shares_find(&shares, &run, sample, SAMPLES);
    CHECK_EQUAL(shares.count, 0);
    options = (struct gs_options){.samples = SAMPLES};
    gs_shares_find(&shares, &run, sample, SAMPLES);
    CHECK_EQUAL(shares.count, 0);
    options.samples = 0;
    run.plan.count++;
    gs_shares_find(&shares, &run, sample, SAMPLES);
    CHECK_EQUAL(shares.count, 0);
    sink.memory = sample;
    gs_shares_find(&shares, &run, sample, SAMPLES);
    CHECK((shares.count == 0) == few);
    run.plan.count = GS_SHARES_KEYS + 1;
    gs_shares_find(&shares, &run, sample, SAMPLES);
    CHECK_EQUAL(shares.count, 0);
    free(sample);
}

/* The number of keys of a sorted sample in [low, high]; values that it has `often` times or more do
 * not count. */
static uint32_t count_in(const gs_key *sample, gs_key low, gs_key high, uint32_t often)
{
    uint32_t count = 0;
    for (uint32_t i = 0, n; i < SAMPLES; i += n) {
        for (n = 1; i + n < SAMPLES && sample[i + n] == sample[i];)
            n++;
        count += sample[i] >= low && sample[i] <= high && n < often ? n : 0;
    }
    return count;
}

/* Each thread has a share, with about as many keys as the others, values that the sample has
 * `often` times or more aside; the most frequent key of each share is its `equal`. */
static void check_cut(gs_key *sample, uint32_t often)
{
    enum { THREADS = 4, MOST = 128, FREQUENT = SAMPLES / 32 };
    struct gs_options options = {0};
    struct gs_sink sink = {.memory = NULL};
    struct gs_run run = run_for(&options, &sink, THREADS);
    struct gs_shares shares;
    sample_sort(sample, SAMPLES);
    gs_shares_find(&shares, &run, sample, SAMPLES);
    CHECK_EQUAL(shares.count, THREADS);
    uint32_t others = count_in(sample, 0, GS_KEY_MAX, often);
    for (uint32_t i = 0; i < shares.count; i++) {
        gs_key low = i == 0 ? 0 : shares.last[i - 1] + 1;
        CHECK(count_in(sample, low, shares.last[i], often) <= others / THREADS + MOST);
        uint32_t equal = count_in(sample, shares.equal[i], shares.equal[i], SAMPLES);
        for (uint32_t k = 0; k < SAMPLES; k++) {
            uint32_t count = count_in(sample, sample[k], sample[k], SAMPLES);
            if (sample[k] >= low && sample[k] <= shares.last[i] && count >= FREQUENT)
                CHECK(equal >= count);
        }
    }
}

/* Infrequent keys; half of them replaced by one value; and so few of them that frequent values are
 * divided among shares, too, unless they fill one. */
static void test_cut(void)
{
    gs_key *sample = sample_make(SAMPLE_UNIFORM, SAMPLES);
    check_cut(sample, SAMPLES);
    for (uint32_t i = 0; i < SAMPLES / 2; i++)
        sample[i * 2] = 1U << 31;
    check_cut(sample, SAMPLES / 2);
    for (uint32_t i = 0; i < SAMPLES; i++)
        sample[i] = i % 16 == 0 ? sample_key(SAMPLE_UNIFORM, SAMPLES, i)
                                : i / 128 * 500000000 + (i % 128 < 80 ? 1000 : 2000);
    check_cut(sample, SAMPLES / 4);
    free(sample);
}

/* The input that is overwritten all the time: [N]. */
static gs_key *rewritten;
static atomic_bool stop;

static void *rewrite(void *unused)
{
    (void)unused;
    static const gs_key contents[] = {7, GS_KEY_MAX, 50};
    for (unsigned turn = 0; !atomic_load(&stop); turn++)
        for (uint64_t i = 0; i < N; i++)
            *(volatile gs_key *)(rewritten + i) = contents[turn % 3];
    return NULL;
}

/* Keys may be 7 when they are counted for the first share, the largest key when they are counted
 * for the second, and 50 when they are taken: then the part below 100 ends before it begins, but
 * gets keys. Nothing may be written outside the output. */
static void test_rewritten(void)
{
    static const struct gs_shares shares = {.count = 2, .last = {7, GS_KEY_MAX}, .equal = {7, 100}};
    gs_key *got = malloc(2 * N * sizeof *got);
    rewritten = calloc(N, sizeof *rewritten);
    pthread_t writer;
    if (got == NULL || rewritten == NULL || pthread_create(&writer, NULL, rewrite, NULL) != 0)
        abort();
    for (size_t i = N; i < 2 * N; i++)
        got[i] = GUARD;
    struct gs_span span = {rewritten, N, "a"};
    const int turns = check_expensive() ? 2000 : 60;
    for (int turn = 0; turn < turns; turn++) {
        struct gs_options options = {.threads = 1};
        struct gs_progress progress = {.phase = NULL};
        struct gs_stats stats = {0};
        struct gs_sink sink = {.memory = got};
        struct gs_error err = {.status = GS_OK};
        struct gs_run run = {.options = &options, .progress = &progress, .stats = &stats};
        gs_plan_make(&run.plan, &options, N);
        bool sorted = false;
        if (gs_tiles_make(&run.tiles, &span, 1, &err) != GS_OK)
            abort();
        gs_emit_init(&run.emitter, &options, &sink);
        enum gs_status st = gs_sort_shares(&run, &shares, &sorted, &err);
        CHECK(st == GS_ERR_INPUT || (st == GS_OK && gs_order_ascending(got, N)));
        gs_tiles_free(&run.tiles);
    }
    atomic_store(&stop, true);
    pthread_join(writer, NULL);
    bool kept = true;
    for (size_t i = N; i < 2 * N; i++)
        kept = kept && got[i] == GUARD;
    CHECK(kept);
    free(rewritten);
    free(got);
}

/* If one thread sorts several shares, progress counts each key once. */
static void test_progress(void)
{
    gs_key *keys = sample_make(SAMPLE_UNIFORM, N);
    gs_key *got = malloc(N * sizeof *got);
    if (got == NULL)
        abort();
    struct gs_options options = {.threads = 2, .device = GS_DEVICE_CPU};
    struct gs_span span = {keys, N, "a"};
    struct gs_sink sink = {.memory = got};
    struct gs_progress progress = {.phase = NULL};
    struct gs_stats stats = {0};
    struct gs_error err = {.status = GS_OK};
    int levels = omp_get_max_active_levels();
    omp_set_max_active_levels(0); /* parallel regions get one thread */
    CHECK(gs_sort(&options, &span, 1, &sink, &progress, &stats, &err) == GS_OK);
    omp_set_max_active_levels(levels);
    CHECK_EQUAL(atomic_load(&progress.done), N);
    free(keys);
    free(got);
}

#endif

/* All keys but one in `others` become one of three values: 0, the middle, or the largest key. */
static void add_frequent(gs_key *keys, uint64_t n, uint64_t others)
{
    static const gs_key frequent[] = {0, 1U << 31, GS_KEY_MAX};
    for (uint64_t i = 0; i < n; i++) {
        uint64_t r = gs_random(5, i);
        if (r % others != 0)
            keys[i] = frequent[(r >> 8) % 3];
    }
}

/* Sorts on both sides of the limits of shares are right, also with values that are frequent. Many
 * keys are of two kinds only, unless long tests are wanted. */
static void test_sorts(uint64_t n, unsigned threads)
{
    gs_key *got = malloc(n * sizeof *got);
    if (got == NULL)
        abort();
    for (enum sample_kind kind = 0; kind < SAMPLE_KINDS; kind++) {
        if (n > N && kind != SAMPLE_UNIFORM && kind != SAMPLE_ENDS && !check_expensive())
            continue;
        gs_key *keys = sample_make(kind, n);
        struct gs_span spans[] = {{keys, n / 3, "a"}, {keys + n / 3, n - n / 3, "b"}};
        check_sort_ways(spans, 2, keys, n, got, threads);
        for (uint64_t others = 2; kind == SAMPLE_UNIFORM && others <= 512; others *= 16) {
            add_frequent(keys, n, others);
            check_sort_ways(spans, 2, keys, n, got, threads);
        }
        free(keys);
    }
    free(got);
}

/* So are records, which each thread decodes for itself. */
static void test_records(void)
{
    struct gs_codec turned;
    const struct gs_format format = gs_format_of(
        (struct gs_key_type){.kind = GS_TYPE_BYTES, .bytes = sizeof(gs_key), .big_endian = true});
    gs_codec_init(&turned, &format);
    gs_key *keys = sample_make(SAMPLE_UNIFORM, N);
    gs_key *records = malloc(N * sizeof *records);
    gs_key *got = malloc(N * sizeof *got);
    if (records == NULL || got == NULL)
        abort();
    add_frequent(keys, N, 2);
    gs_codec_store(&turned, keys, records, N);
    sample_sort(keys, N);
    const struct gs_span spans[] = {{records, N / 3, "a"}, {records + N / 3, N - N / 3, "b"}};
    for (unsigned way = 0; way < 4; way++) {
        const struct gs_options options = {.threads = 2, .verify = way > 1, .codec = &turned};
        struct array_sink sink = {
            .sink = {.memory = way % 2 == 0 ? got : NULL, .write = array_write}, .keys = got};
        struct gs_error err = {.status = GS_OK};
        memset(got, 0, N * sizeof *got);
        CHECK(gs_sort(&options, spans, 2, &sink.sink, NULL, NULL, &err) == GS_OK);
        gs_codec_load(&turned, got, got, N);
        CHECK(memcmp(got, keys, N * sizeof *got) == 0);
    }
    free(got);
    free(records);
    free(keys);
}

int main(void)
{
#if GS_HIGHWAY && GS_BITS == 32
    if (gs_vqsort_usable()) {
        test_takes();
        for (enum sample_kind kind = 0; kind < SAMPLE_KINDS; kind++)
            for (unsigned threads = 1; threads <= GS_SHARES_MAX; threads += threads < 3 ? 1 : 13)
                test_find(kind, threads);
        test_cut();
        test_rewritten();
        test_progress();
    }
#endif
    test_records();
    test_sorts(N, 2);
    test_sorts(15 * N, GS_SHARES_MAX);
    if (check_thorough()) { /* wide keys have no shares */
        test_sorts(N, 1);
        test_sorts(N, 3);
        test_sorts(15 * N, GS_SHARES_MAX + 1);
        test_sorts(40 * N, 2); /* shares to memory only */
    }
    return check_failures();
}
