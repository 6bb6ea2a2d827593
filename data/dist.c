/* dist.c -- the named distributions of keys.
 * SPDX-License-Identifier: MIT
 *
 * gaussian, staggered and buckets are those of Helman, Bader and JaJa, A randomized parallel
 * sorting algorithm with an experimental study, 1998; low-entropy is that of Thearling and Smith,
 * An improved supercomputer sorting benchmark, 1992. The last group is made to hurt a sample sort.
 */
#include "data/dist.h"

#include "common/random.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define FEW_VALUES       16
#define NARROW_VALUES    1000
#define BLOCKS           128 /* blocks of positions, and ranges of keys: staggered, buckets */
#define BLOCK_RANGE_LOG2 25  /* 2^32 keys / 128 ranges */
#define ZIPF_VALUES_LOG2 20
#define CLUSTERS         4096
#define CLUSTER_WIDTH    16
#define END_WIDTH        1024
#define PERIOD           4096
#define TOOTH            65536
#define STREAMS_LOG2     5
#define MER_BASES        16 /* of 2 bits each */

/* 32 random bits for position i. */
static gs_key random_key(uint64_t seed, uint64_t i)
{
    return (gs_key)(gs_random(seed, i) >> 32);
}

/* The j-th constant of a file, from a random stream separate from that of the keys. */
static gs_key constant_key(uint64_t seed, uint64_t j)
{
    return random_key(~seed, j);
}

/* A random number in (0, 1]. */
static double random_unit(uint64_t seed, uint64_t i)
{
    return (double)((gs_random(seed, i) >> 11) + 1) * 0x1p-53;
}

/* Map position i of n evenly to all keys. Rounding is monotone, so the keys ascend with i. */
static gs_key spread_key(uint64_t n, uint64_t i)
{
    return (gs_key)((double)i * (0x1p32 / (double)n));
}

/* x as a key, or the largest key if x exceeds it. */
static gs_key clamp_key(double x)
{
    return x >= 0x1p32 ? GS_KEY_MAX : (gs_key)x;
}

static gs_key draw_uniform(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)n;
    return random_key(seed, i);
}

static gs_key draw_gaussian(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)n;
    uint64_t a = gs_random(seed, 2 * i);
    uint64_t b = gs_random(seed, 2 * i + 1);
    return (gs_key)(((a >> 32) + (a & GS_KEY_MAX) + (b >> 32) + (b & GS_KEY_MAX)) / 4);
}

static gs_key draw_zipf(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)n;
    uint32_t rank = (uint32_t)exp2(random_unit(seed, i) * ZIPF_VALUES_LOG2);
    return rank * UINT32_C(2654435761); /* odd, so ranks have distinct keys, neighbours far apart */
}

static gs_key draw_log_uniform(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)n;
    return clamp_key(exp2(random_unit(seed, i) * GS_KEY_BITS) - 1);
}

static gs_key draw_exponential(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)n;
    return clamp_key(-log(random_unit(seed, i)) * 0x1p27);
}

static gs_key draw_low_entropy(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)n;
    uint64_t a = gs_random(seed, 2 * i);
    return (gs_key)(a >> 32) & (gs_key)a & random_key(seed, 2 * i + 1);
}

static gs_key draw_sorted(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)seed;
    return spread_key(n, i);
}

static gs_key draw_reversed(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)seed;
    return spread_key(n, n - 1 - i);
}

static gs_key draw_nearly_sorted(uint64_t seed, uint64_t n, uint64_t i)
{
    uint64_t r = gs_random(seed, i);
    return (r & GS_KEY_MAX) % 100 == 0 ? (gs_key)(r >> 32) : spread_key(n, i);
}

static gs_key draw_organ_pipe(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)seed;
    return spread_key(n, i < n / 2 ? 2 * i : 2 * (n - 1 - i));
}

static gs_key draw_sawtooth(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)seed;
    (void)n;
    return spread_key(TOOTH, i % TOOTH);
}

static gs_key draw_equal(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)n;
    (void)i;
    return constant_key(seed, 0);
}

static gs_key draw_few(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)n;
    return constant_key(seed, random_key(seed, i) % FEW_VALUES);
}

static gs_key draw_narrow(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)n;
    return random_key(seed, i) % NARROW_VALUES;
}

static gs_key draw_high_bits(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)n;
    return random_key(seed, i) << 16;
}

static gs_key draw_low_bits(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)n;
    return random_key(seed, i) >> 16;
}

/* The block of position i, if n keys are cut into BLOCKS equal blocks. */
static uint32_t block_of(uint64_t n, uint64_t i)
{
    return (uint32_t)(i * BLOCKS / n);
}

static gs_key draw_staggered(uint64_t seed, uint64_t n, uint64_t i)
{
    uint32_t block = block_of(n, i);
    uint32_t range = block < BLOCKS / 2 ? 2 * block + 1 : 2 * block - BLOCKS;
    return range << BLOCK_RANGE_LOG2 | random_key(seed, i) >> (32 - BLOCK_RANGE_LOG2);
}

static gs_key draw_buckets(uint64_t seed, uint64_t n, uint64_t i)
{
    uint32_t range = block_of(n, i * BLOCKS % n);
    return range << BLOCK_RANGE_LOG2 | random_key(seed, i) >> (32 - BLOCK_RANGE_LOG2);
}

static gs_key draw_all_but_one(uint64_t seed, uint64_t n, uint64_t i)
{
    return constant_key(seed, i == gs_random(~seed, 1) % n ? 2 : 0);
}

static gs_key draw_two_clusters(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)n;
    uint64_t r = gs_random(seed, i);
    gs_key offset = (gs_key)(r >> 32) % END_WIDTH;
    return (r & 1) != 0 ? GS_KEY_MAX - offset : offset;
}

static gs_key draw_clusters(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)n;
    uint64_t r = gs_random(seed, i);
    gs_key centre = constant_key(seed, (r & GS_KEY_MAX) % CLUSTERS);
    return centre / CLUSTER_WIDTH * CLUSTER_WIDTH + (gs_key)(r >> 32) % CLUSTER_WIDTH;
}

static gs_key draw_periodic(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)n;
    return random_key(seed, i % PERIOD);
}

static gs_key draw_max_keys(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)n;
    uint64_t r = gs_random(seed, i);
    return (r & 1) != 0 ? GS_KEY_MAX : (gs_key)(r >> 32);
}

static gs_key draw_zero_one(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)n;
    return random_key(seed, i) & 1;
}

static gs_key draw_sorted_but_last(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)seed;
    return i == n - 1 ? 0 : spread_key(n, i);
}

static gs_key draw_streams(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)seed;
    gs_key stream = (gs_key)i % (1U << STREAMS_LOG2);
    return stream << (GS_KEY_BITS - STREAMS_LOG2) | spread_key(n, i - stream) >> STREAMS_LOG2;
}

static gs_key draw_bit_reversed(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)seed;
    (void)n;
    gs_key key = 0;
    for (unsigned bit = 0; bit < GS_KEY_BITS; bit++)
        key |= (gs_key)(i >> bit & 1) << (GS_KEY_BITS - 1 - bit);
    return key;
}

static gs_key draw_k_mers(uint64_t seed, uint64_t n, uint64_t i)
{
    (void)n;
    gs_key key = 0;
    for (uint64_t base = i; base < i + MER_BASES; base++) {
        gs_key tenth = random_key(seed, base) % 10;
        key = key << 2 | (tenth < 4 ? 0 : tenth == 4 ? 1U : tenth == 5 ? 2U : 3U);
    }
    return key;
}

const struct gs_dist gs_dists[] = {
    {"uniform", "every key alike", draw_uniform},
    {"gaussian", "the mean of four uniform keys", draw_gaussian},
    {"zipf", "2^20 values, the r-th most frequent 1/r as often as the first", draw_zipf},
    {"log-uniform", "every magnitude alike: half of the keys are below 2^16", draw_log_uniform},
    {"exponential", "exponential with mean 2^27", draw_exponential},
    {"low-entropy", "the bitwise and of three uniform keys", draw_low_entropy},
    {"sorted", "ascending, spread over all keys", draw_sorted},
    {"reversed", "descending, spread over all keys", draw_reversed},
    {"nearly-sorted", "sorted, with one key in a hundred random", draw_nearly_sorted},
    {"organ-pipe", "ascending, then descending", draw_organ_pipe},
    {"sawtooth", "ascending runs of 65536 keys", draw_sawtooth},
    {"equal", "one value for all", draw_equal},
    {"few", "16 values", draw_few},
    {"narrow", "the values 0 to 999", draw_narrow},
    {"high-bits", "only the upper 16 bits vary", draw_high_bits},
    {"low-bits", "only the lower 16 bits vary", draw_low_bits},
    {"staggered", "128 blocks, each in a range of its own", draw_staggered},
    {"buckets", "128 blocks of 128 runs, run j of each in range j", draw_buckets},
    {"all-but-one", "one value for all but one key", draw_all_but_one},
    {"two-clusters", "half in the lowest 1024 values, half in the highest", draw_two_clusters},
    {"clusters", "4096 clusters, each 16 values wide", draw_clusters},
    {"periodic", "4096 uniform keys, again and again", draw_periodic},
    {"max-keys", "half are the largest key, half uniform", draw_max_keys},
    {"zero-one", "the values 0 and 1", draw_zero_one},
    {"sorted-but-last", "sorted, but the last key is 0", draw_sorted_but_last},
    {"streams", "32 sorted streams, a key of each in turn", draw_streams},
    {"bit-reversed", "0, 1, 2 and so on, the bits in reverse order", draw_bit_reversed},
    {"k-mers", "all runs of 16 bases of a sequence in which A and T are frequent", draw_k_mers},
    {NULL, NULL, NULL},
};

const struct gs_dist *gs_dist_find(const char *name)
{
    for (const struct gs_dist *d = gs_dists; d->name != NULL; d++) {
        if (strcmp(d->name, name) == 0)
            return d;
    }
    return NULL;
}
