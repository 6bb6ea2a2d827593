/* test_cache_sort_methods.c -- each method of the in-cache sort, between pages that fault.
 * SPDX-License-Identifier: MIT
 *
 * Keys and scratch lie between inaccessible pages: the keys begin right after one or end right
 * before one, scratch ends right before one, so an access out of bounds faults. Results are
 * compared with sample_sort's. gs_cache_sort(), which chooses a method, and each method that this
 * processor can run get all inputs. Unless long tests are wanted, most sizes take turns in where
 * the keys lie and whether their bounds are tight, and few inputs are larger than any method takes.
 */
#include "sort/bin/cache_sort.h"
#include "sort/bin/portable.h"
#include "sort/bin/u32/vector_sorts.h"
#include "sort/bin/vqsort.h"
#include "sort/keys/vectors.h"
#include "common/random.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* BLOCK_KEYS: keys that groups512 splits at a time, twice. */
enum {
    SMALL_MAX = 300,
    ALL_WAYS_MAX = 40,
    RANDOM_SIZES = 40,
    BLOCK_KEYS = 2048,
    LARGEST = GS_CACHE_SORT_LARGE + 3
};

enum distribution {
    UNIFORM,    /* all bits */
    BITS20,     /* a bin of uniform data: all but the 12 upper bits vary, above some bound */
    BITS24,     /* all but 8 upper bits: fewer keys or larger bins */
    BITS12,     /* more keys than values */
    ZIPF,       /* low keys are frequent, many are equal */
    LOG,        /* equally many keys of each bit length */
    FEW,        /* 16 values over the whole range */
    SOME,       /* 100 values anywhere */
    TWO,        /* the two ends of the range */
    SORTED,     /* ascending, with repeated keys */
    NEARLY,     /* sorted except for every 64th key */
    REVERSED,   /* descending */
    ORGAN,      /* ascending, then descending */
    EQUAL,      /* the largest key only */
    OUTLIER,    /* close together, except for the last key */
    CLUSTERED,  /* uniform, but half of the keys lie in one 1024th of the range */
    LUMP,       /* BITS20, but one key in 80 is one of 64 values near the end of the range */
    LARGE_LUMP, /* the same for one key in 20 */
    HALF_BELL,  /* upper half of a bell curve, four times as dense at its start as on average */
    CROWDS,     /* 100 values anywhere in the upper bits, 8 lower bits vary */
    ENDS,       /* the 10 upper bits and the 2 lowest vary */
    NESTED, /* half of the keys in one 256th of the range, a quarter in one 256th of that, ... */
    DISTRIBUTIONS
};

static const char *const names[DISTRIBUTIONS] = {
    "uniform", "bits20",     "bits24",    "bits12",   "zipf",  "log",   "few",     "some",
    "two",     "sorted",     "nearly",    "reversed", "organ", "equal", "outlier", "clustered",
    "lump",    "large lump", "half bell", "crowds",   "ends",  "nested"};

#define BASE ((gs_key)0x12345678 << (GS_KEY_BITS - 32))

static gs_key draw_key(enum distribution distribution, size_t i, size_t count)
{
    const uint64_t random = gs_random(distribution, i);
    const gs_key key = sample_random(distribution, i), step = GS_KEY_MAX / (gs_key)(count + 1);

    switch (distribution) {
    case UNIFORM:
        return key;
    case BITS20:
        return BASE + (key >> 12);
    case BITS24:
        return BASE + (key >> 8);
    case BITS12:
        return BASE + (key >> (GS_KEY_BITS - 12));
    case ZIPF:
        return (gs_key)(1000.0 / ((double)(random >> 40) + 1));
    case LOG:
        return key >> (random % GS_KEY_BITS);
    case FEW:
        return (gs_key)(random & 15) * (GS_KEY_MAX / 15);
    case SOME:
        return sample_random(0, random % 100);
    case TWO:
        return random & 1 ? GS_KEY_MAX : 0;
    case SORTED:
        return (gs_key)(i / 2) * step;
    case NEARLY:
        return i % 64 == 63 ? key : (gs_key)i * step;
    case REVERSED:
        return (gs_key)(count - i) * step;
    case ORGAN:
        return (gs_key)(i < count / 2 ? i : count - i) * step;
    case EQUAL:
        return GS_KEY_MAX;
    case OUTLIER:
        return i + 1 == count ? GS_KEY_MAX : (gs_key)(0x1000 + (random & 0xffff));
    case CLUSTERED:
        return random >> 63 ? key : GS_KEY_MAX / 3 + (key >> 10);
    case LUMP:
    case LARGE_LUMP:
        if ((random >> 32) % (distribution == LUMP ? 80 : 20) == 0)
            return BASE + ((gs_key)0xf0f00 << (GS_KEY_BITS - 32)) + (gs_key)(random & 63);
        return BASE + (key >> 12);
    case HALF_BELL: {
        int sum = -4 * 255; /* of 8 bytes, less its mean; standard deviation 209 */
        for (int byte = 0; byte < 8; byte++)
            sum += (int)(random >> 8 * byte & 255);
        return ((gs_key)abs(sum) << (GS_KEY_BITS - 13)) + (sample_random(HALF_BELL + 1, i) >> 13);
    }
    case CROWDS:
        return (sample_random(0, random % 100) & ~(gs_key)255) | (gs_key)(random >> 56);
    case ENDS:
        return key >> (GS_KEY_BITS - 10) << (GS_KEY_BITS - 10) | (key & 3);
    case NESTED: {
        unsigned depth = (unsigned)__builtin_ctzll(random | (uint64_t)1 << (GS_KEY_BITS / 8 - 1));
        return key >> 8 * depth;
    }
    case DISTRIBUTIONS:
        break;
    }
    abort();
}

struct fence {
    unsigned char *base; /* whole pages; the pages before and behind them are inaccessible */
    size_t bytes;        /* of the accessible pages */
};

static struct fence make_fence(size_t keys)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct fence fence = {NULL, (keys * sizeof(gs_key) + page - 1) / page * page};

    fence.base = mmap(NULL, fence.bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fence.base == MAP_FAILED ||
        mprotect(fence.base + page, fence.bytes, PROT_READ | PROT_WRITE) != 0) {
        perror("test_cache_sort_methods: mmap");
        exit(1);
    }
    fence.base += page;
    return fence;
}

enum method { CHOSEN, CHOSEN_RUNS, RADIX, COLUMNS, GROUPS512, PLACED512, VQSORT, METHODS };

static const char *const method_names[METHODS] = {
    "gs_cache_sort", "gs_cache_sort_runs", "radix", "columns", "groups512", "placed512", "vqsort"};

/* Inputs that each method accepted: one that always refused would seem to pass. */
static size_t taken[METHODS];

/* Scratch memory for count keys in runs, in keys. */
static size_t scratch_of_runs(size_t count)
{
    return count > GS_CACHE_SORT_CAPACITY ? gs_cache_sort_runs_scratch(count)
                                          : gs_cache_sort_scratch(count);
}

/* Two formats of 4 bytes that keys may become on the way. */
static const struct gs_format big_endian_floats = {
    .record_bytes = 4,
    .element_bytes = 4,
    .key_count = 1,
    .keys = {{.type = {.kind = GS_TYPE_FLOAT, .bytes = 4, .big_endian = true}}}};
static const struct gs_format signed_keys = {
    .record_bytes = 4,
    .element_bytes = 4,
    .key_count = 1,
    .keys = {{.type = {.kind = GS_TYPE_SIGNED, .bytes = 4}, .descending = true}}};

/* Records to keys again, if that is what they became. */
static const gs_key *as_keys(gs_key *keys, size_t count, const struct gs_codec *codec)
{
    if (codec != NULL)
        gs_codec_load(codec, keys, keys, count);
    return keys;
}

/* Sort keys from runs, some of them empty, back to `keys`, and by many counts as records. Returns
 * `keys`, or NULL if the method refuses or cannot run here. */
static const gs_key *sort_runs(enum method method, gs_key *keys, gs_key *scratch, size_t count,
                               gs_key low, gs_key high)
{
    enum { RUNS = 8 };
    uint32_t starts[2 * RUNS] = {0};
    const uint32_t share = (uint32_t)(count / (RUNS - 3)) + 1;
    const struct gs_rows runs = {keys, share, RUNS, starts, 2};
    for (uint32_t i = 0, left = (uint32_t)count; i < RUNS; i++) {
        starts[2 * i + 1] = left < share ? left : share;
        left -= starts[2 * i + 1];
    }
    struct gs_codec codec;
    struct gs_bin_output output = {.to = keys, .past_cache = count % 2 == 0};
    if (GS_KEY_BITS == 32 && count % 3 != 0) {
        gs_codec_init(&codec, count % 3 == 1 ? &big_endian_floats : &signed_keys);
        output.codec = &codec;
    }
    if (method == CHOSEN_RUNS) { /* needs other memory for its output */
        static gs_key room[LARGEST + 16];
        output.to = room + count % 16;
        gs_key *sorted = gs_cache_sort_runs(&runs, &output, scratch,
                                            gs_cache_sort_runs_scratch(count), count, low, high);
        memcpy(keys, sorted, count * sizeof *keys);
        return as_keys(keys, count, output.codec);
    }
#if GS_HAS_AVX2 && GS_KEY_BITS == 32
    if (method == GROUPS512 && gs_groups512_usable() &&
        gs_groups512_sort(&runs, &output, scratch, scratch_of_runs(count), count, low, high))
        return as_keys(keys, count, output.codec);
    if (method == PLACED512 && gs_placed512_usable() &&
        gs_placed512_sort(&runs, &output, scratch, scratch_of_runs(count), count, low, high))
        return as_keys(keys, count, output.codec);
#endif
    return NULL;
}

/* Returns where the sorted keys are, or NULL if the method refuses or cannot run here. */
static const gs_key *sort_by(enum method method, gs_key *keys, gs_key *scratch, size_t count,
                             gs_key low, gs_key high)
{
    if (method == CHOSEN)
        return gs_cache_sort(keys, scratch, count, low, high);
    if (count == 0)
        return NULL;
    if (method == CHOSEN_RUNS || method == GROUPS512 || method == PLACED512)
        return sort_runs(method, keys, scratch, count, low, high);
    if (count > GS_CACHE_SORT_CAPACITY)
        return NULL;
    if (method == RADIX)
        return gs_radix_sort(keys, scratch, count);
#if GS_HAS_AVX2 && GS_KEY_BITS == 32
    if (method == COLUMNS && gs_columns_usable() &&
        gs_columns_sort(keys, scratch, count, low, high))
        return keys;
#endif
    if (method == VQSORT && gs_vqsort_usable()) {
        gs_vqsort(keys, count);
        return keys;
    }
    return NULL;
}

static gs_key drawn[LARGEST], expected[LARGEST];

/* Sort count keys by every method. They begin right after the inaccessible page in front, or end
 * right before the one behind (at_end). Returns the number of wrong results. */
static int check(struct fence keys_fence, struct fence scratch_fence,
                 enum distribution distribution, size_t count, int at_end, int tight_bounds)
{
    const size_t lead = at_end ? keys_fence.bytes / sizeof(gs_key) - count : 0;
    gs_key *keys = (gs_key *)(void *)keys_fence.base + lead;
    gs_key *const scratch_end = (gs_key *)(void *)(scratch_fence.base + scratch_fence.bytes);
    int failures = 0;

    for (size_t i = 0; i < count; i++)
        drawn[i] = draw_key(distribution, i, count);
    memcpy(expected, drawn, count * sizeof *drawn);
    sample_sort(expected, count);
    const bool wide = !tight_bounds || count == 0;
    const gs_key low = wide ? 0 : expected[0], high = wide ? GS_KEY_MAX : expected[count - 1];

    for (enum method method = CHOSEN; method < METHODS; method++) {
        const bool of_runs = method == GROUPS512 || method == PLACED512;
        gs_key *scratch = scratch_end - (method == CHOSEN_RUNS ? gs_cache_sort_runs_scratch(count)
                                         : of_runs             ? scratch_of_runs(count)
                                                               : gs_cache_sort_scratch(count));
        memcpy(keys, drawn, count * sizeof *keys);
        const gs_key *sorted = sort_by(method, keys, scratch, count, low, high);
        bool right = true;
        if (sorted != NULL) {
            taken[method]++;
            right = (sorted == keys || (sorted == scratch && count <= GS_CACHE_SORT_CAPACITY)) &&
                    (count == 0 || memcmp(sorted, expected, count * sizeof *keys) == 0);
        } else { /* refused: the keys must be unchanged */
            right = memcmp(keys, drawn, count * sizeof *keys) == 0;
        }
        if (!right)
            fprintf(stderr, "test_cache_sort_methods: %s, %s, %zu keys%s%s: wrong\n",
                    method_names[method], names[distribution], count,
                    at_end ? ", at the end of a page" : "", tight_bounds ? ", tight bounds" : "");
        failures += !right;
    }
    return failures;
}

/* Sort random keys of `bits` bits by both kinds of groups, of all widths and numbers, with `crowds`
 * dense clusters in the upper half of the range, each with more keys than a group takes. Returns
 * the number of wrong results. */
static int check_groups(struct fence keys_fence, struct fence scratch_fence, unsigned bits,
                        size_t count, size_t crowds)
{
    enum { CROWD_KEYS = 700, CROWD_WIDTH = 100 };
    const gs_key low = 0x12345678, high = low + (gs_key)(((uint64_t)1 << bits) - 1 - bits);
    gs_key *keys = (gs_key *)(void *)(keys_fence.base + keys_fence.bytes) - count;
    gs_key *scratch =
        (gs_key *)(void *)(scratch_fence.base + scratch_fence.bytes) - scratch_of_runs(count);
    int failures = 0;

    for (size_t i = 0; i < count; i++)
        drawn[i] = low + (gs_key)(gs_random(bits, i) % ((uint64_t)high - low + 1));
    for (size_t i = 0; i < crowds * CROWD_KEYS && i < count; i++) {
        const uint64_t part = crowds + 1 + i % crowds; /* of 2 * crowds: in the upper half */
        const gs_key at = (gs_key)(((uint64_t)high - low) * part / (2 * crowds)) - CROWD_WIDTH;
        drawn[gs_random(i, count) % count] = low + at + (gs_key)(i / crowds % CROWD_WIDTH);
    }
    memcpy(expected, drawn, count * sizeof *drawn);
    sample_sort(expected, count);
    for (enum method method = GROUPS512; method <= PLACED512; method++) {
        memcpy(keys, drawn, count * sizeof *keys);
        const gs_key *sorted = sort_runs(method, keys, scratch, count, low, high);
        taken[method] += sorted != NULL;
        if (memcmp(keys, sorted != NULL ? expected : drawn, count * sizeof *keys) != 0) {
            fprintf(stderr, "test_cache_sort_methods: %s, %zu keys of %u bits, %zu crowds: wrong\n",
                    method_names[method], count, bits, crowds);
            failures++;
        }
    }
    return failures;
}

/* Keys outside the given bounds: any result will do, but no access may fault. */
static void sort_out_of_bounds(struct fence keys_fence, struct fence scratch_fence)
{
    gs_key *const scratch_end = (gs_key *)(void *)(scratch_fence.base + scratch_fence.bytes);
    const unsigned step = check_expensive() ? 1 : 3;

    for (enum distribution d = 0; d < DISTRIBUTIONS; d++) {
        gs_key *scratch = NULL;
        for (size_t count = 5; count < 100000; count = 3 * count + 1) {
            gs_key *keys = (gs_key *)(void *)(keys_fence.base + keys_fence.bytes) - count;
            scratch = scratch_end - gs_cache_sort_scratch(count);
            for (size_t i = 0; i < count; i++)
                drawn[i] = draw_key(d, i, count);
            for (unsigned bits = 4 + d % step; bits < GS_KEY_BITS;
                 bits += step * GS_KEY_BITS / 10) {
                memcpy(keys, drawn, count * sizeof *keys);
                gs_cache_sort(keys, scratch, count, 0x10000000, 0x10000000 + ((gs_key)1 << bits));
            }
        }
        for (size_t count = (1 << 14) - 3; count < GS_CACHE_SORT_CAPACITY; count *= 4) {
            scratch = scratch_end - gs_cache_sort_scratch(count);
            gs_key *keys = (gs_key *)(void *)(keys_fence.base + keys_fence.bytes) - count;
            for (size_t i = 0; i < count; i++)
                drawn[i] = draw_key(d, i, count);
            for (unsigned bits = 12 + d % step; bits < 26; bits += step) {
                memcpy(keys, drawn, count * sizeof *keys);
                sort_runs(GROUPS512, keys, scratch, count, 0x12345678, 0x12345678 + (1U << bits));
                memcpy(keys, drawn, count * sizeof *keys);
                sort_runs(PLACED512, keys, scratch, count, 0x12345678, 0x12345678 + (1U << bits));
            }
        }
    }
}

/* Returns 1 if a method that should run here accepted too few inputs; groups are tried less. */
static int check_taken(enum method method)
{
    if (taken[method] >= (method == GROUPS512 ? 100 : method == PLACED512 ? 50 : 1000))
        return 0;
    fprintf(stderr, "test_cache_sort_methods: %s took only %zu inputs\n", method_names[method],
            taken[method]);
    return 1;
}

int main(void)
{
    const struct fence keys = make_fence(LARGEST);
    const struct fence scratch = make_fence(gs_cache_sort_runs_scratch(GS_CACHE_SORT_LARGE));
    const bool long_tests = check_expensive();
    int failures = 0;

    for (enum distribution d = 0; d < DISTRIBUTIONS; d++) {
        for (size_t count = 0; count <= SMALL_MAX; count++)
            for (size_t how = 0; how < 4; how++)
                if (long_tests || count <= ALL_WAYS_MAX ||
                    (how == (count / 2 + d) % 4 && (count + d) % (GS_KEY_BITS == 32 ? 2 : 3) == 0))
                    failures += check(keys, scratch, d, count, (int)(how & 1), (int)(how >> 1));
        for (uint64_t i = 0; i < RANDOM_SIZES; i += long_tests ? 1 : check_thorough() ? 4 : 8) {
            const uint64_t random = gs_random(1000 + d, i);
            const size_t count = (size_t)(random >> 32) % GS_CACHE_SORT_CAPACITY >> (random & 15);
            failures += check(keys, scratch, d, count, random >> 8 & 1, random >> 9 & 1);
        }
        for (size_t count = (1 << 17) - 1; count < GS_CACHE_SORT_CAPACITY && long_tests;
             count += 77773)
            failures += check(keys, scratch, d, count, count & 1, 1);
        for (size_t i = 0; i < 3; i++) {
            failures += check(keys, scratch, d, BLOCK_KEYS - 1 + i, 1, 1);
            failures += check(keys, scratch, d, 3 * BLOCK_KEYS - 1 + i, 1, 1);
            if (long_tests || i == (size_t)d % 3)
                failures += check(keys, scratch, d, GS_CACHE_SORT_CAPACITY - 1 + i, 1, 1);
        }
        if (GS_KEY_BITS > 32 && d % 4 != 0 && !long_tests)
            continue; /* these have no methods of their own */
        const size_t step = (size_t)d * 19997;
        if (d % 2 != 0 || long_tests)
            failures += check(keys, scratch, d, GS_CACHE_SORT_CAPACITY + step, 1, 1);
        if (d % 4 == 2 || long_tests)
            failures += check(keys, scratch, d, GS_CACHE_SORT_LARGE - step, 1, 1);
        if (d % 4 == 0 || long_tests)
            failures += check(keys, scratch, d, LARGEST, 1, 0);
    }
    for (unsigned bits = 8; bits < 32 && gs_cache_sort_takes_large(); bits++)
        for (size_t count = (1 << 13) - 1; count < GS_CACHE_SORT_CAPACITY; count += count / 3 * 2)
            for (size_t crowds = 0; crowds <= 4; crowds = 2 * crowds + (crowds == 0))
                if (long_tests || bits % 2 == (crowds == 1 || crowds == 4))
                    failures += check_groups(keys, scratch, bits, count, crowds);
    const size_t groups = taken[GROUPS512], placed = taken[PLACED512];
    for (unsigned bits = 18; bits < 25 && gs_cache_sort_takes_large(); bits++)
        for (size_t count = GS_CACHE_SORT_LARGE; count > GS_CACHE_SORT_CAPACITY; count -= count / 3)
            failures += check_groups(keys, scratch, bits, count, bits % 3);
    if (gs_cache_sort_takes_large() && taken[GROUPS512] < groups + 12) {
        fprintf(stderr, "test_cache_sort_methods: groups512 took only %zu large inputs\n",
                taken[GROUPS512] - groups);
        failures++;
    }
    if (gs_cache_sort_takes_large() && taken[PLACED512] < placed + 8) {
        fprintf(stderr, "test_cache_sort_methods: placed512 took only %zu large inputs\n",
                taken[PLACED512] - placed);
        failures++;
    }
    sort_out_of_bounds(keys, scratch);
    failures += check_taken(CHOSEN) + check_taken(RADIX);
#if GS_HAS_AVX2 && GS_KEY_BITS == 32
    if (gs_columns_usable())
        failures += check_taken(COLUMNS);
    if (gs_groups512_usable())
        failures += check_taken(GROUPS512);
    if (gs_placed512_usable())
        failures += check_taken(PLACED512);
#endif
    if (gs_vqsort_usable())
        failures += check_taken(VQSORT);
    return failures != 0;
}
