/* merge_pair.c -- merge two runs of 32-bit keys by vectors.
 * SPDX-License-Identifier: MIT
 *
 * To find the least vector of keys of two runs, compare the first vector of one with the reversed
 * first vector of the other and keep the smaller key of each pair of lanes. The result is a bitonic
 * sequence, which log2(lanes) exchanges sort [Batcher: Sorting networks and their applications,
 * 1968]. How many of its keys came from which run tells where both continue. So a step keeps only a
 * position and has no branch that depends on keys; but each step waits for the position from the
 * one before. Therefore four parts of the output are written side by side; binary search finds
 * where each begins in both runs [Odeh, Green, Mwassi, Shmueli, Birk: Merge path, 2012].
 *
 * Behind a run stands padding of the greatest key, so that a run never ends. Of equal keys, a's are
 * taken first: so a's padding may be taken where b's keys of that same value are due. It is not
 * counted as from a, so b's keys are counted instead, and the output is the same.
 */
#include "sort/keys/u32/vector_keys.h"
#include "sort/keys/vectors.h"

#include <immintrin.h>
#include <stdbool.h>

/* 2^17 keys in 16 runs, in the second-level cache, ns per key with 1, 2, 3, 4 and 6 chains,
 * AVX-512: 2.83 1.49 1.06 1.01 1.02. */
enum { CHAINS = 4, LANES = GS_MERGE_GAP, HALF_LANES = LANES / 2 };

#define AVX512        __attribute__((target("avx512f,popcnt")))
#define INLINE_AVX512 static inline __attribute__((always_inline, target("avx512f,popcnt")))
#define AVX2          __attribute__((target("avx2,popcnt")))
#define INLINE_AVX2   static inline __attribute__((always_inline, target("avx2,popcnt")))

/* Two runs, the output, and for each chain where it begins in the output and in a. Its position in
 * b follows: b supplied all keys written that did not come from a. */
struct pair {
    const gs_key *a, *b;
    gs_key *to;
    size_t a_count;
    size_t from_a[CHAINS];
    size_t start[CHAINS];
    size_t part; /* keys per chain, a multiple of LANES; the last also writes the rest */
    size_t count;
};

/* How many of the first `rank` merged keys come from a. */
static size_t find_rank(const gs_key *a, size_t a_count, const gs_key *b, size_t b_count,
                        size_t rank)
{
    size_t low = rank > b_count ? rank - b_count : 0;
    size_t high = rank < a_count ? rank : a_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a[middle] <= b[rank - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct pair open_pair(const gs_key *a, size_t a_count, const gs_key *b, size_t b_count,
                             gs_key *to)
{
    struct pair pair = {.a = a, .b = b, .to = to, .a_count = a_count, .count = a_count + b_count};
    pair.part = pair.count / CHAINS / LANES * LANES;
    for (size_t i = 0; i < CHAINS; i++) {
        pair.start[i] = i * pair.part;
        pair.from_a[i] = find_rank(a, a_count, b, b_count, pair.start[i]);
    }
    return pair;
}

/* Keys that came from a after `more` did; padding is not counted. */
static inline size_t go_on(const struct pair *pair, size_t from_a, uint64_t more)
{
    from_a += more;
    return from_a < pair->a_count ? from_a : pair->a_count;
}

/* ---- AVX-512 ---- */

/* The smaller key of each lane; where `larger` is set, the larger. */
INLINE_AVX512 __m512i exchange_512(__m512i keys, __m512i others, __mmask16 larger)
{
    const __m512i least = _mm512_min_epu32(keys, others);
    return _mm512_mask_ternarylogic_epi32(least, larger, keys, others, 0x96); /* a ^ b ^ least */
}

/* Write the next vector of keys, from number `at` on. Returns how many keys came from a so far. */
INLINE_AVX512 size_t step_512(const struct pair *pair, size_t at, size_t from_a)
{
    const __m512i turned = _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i a = _mm512_loadu_si512(pair->a + from_a);
    const __m512i b = _mm512_permutexvar_epi32(turned, _mm512_loadu_si512(pair->b + (at - from_a)));
    const __mmask16 more = _mm512_cmple_epu32_mask(a, b);
    __m512i keys = _mm512_min_epu32(a, b);
    keys = exchange_512(keys, _mm512_shuffle_i64x2(keys, keys, 0x4e), 0xff00);
    keys = exchange_512(keys, _mm512_permutex_epi64(keys, 0x4e), 0xf0f0);
    keys = exchange_512(keys, _mm512_shuffle_epi32(keys, _MM_PERM_BADC), 0xcccc);
    keys = exchange_512(keys, _mm512_shuffle_epi32(keys, _MM_PERM_CDAB), 0xaaaa);
    _mm512_storeu_si512(pair->to + at, keys);
    return go_on(pair, from_a, (uint64_t)_mm_popcnt_u64(more));
}

/* ---- AVX2 ---- */

/* The smaller key of each lane; in the lanes that EXCHANGE_AVX2's constant selects, the larger. */
#define EXCHANGE_AVX2(keys, others, larger)                                                        \
    _mm256_blend_epi32(_mm256_min_epu32(keys, others), _mm256_max_epu32(keys, others), larger)

INLINE_AVX2 size_t step_avx2(const struct pair *pair, size_t at, size_t from_a)
{
    const __m256i turned = _mm256_set_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)(pair->a + from_a));
    const __m256i b = _mm256_permutevar8x32_epi32(
        _mm256_loadu_si256((const __m256i *)(const void *)(pair->b + (at - from_a))), turned);
    __m256i keys = _mm256_min_epu32(a, b);
    const int more = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(keys, a)));
    keys = EXCHANGE_AVX2(keys, _mm256_permute4x64_epi64(keys, 0x4e), 0xf0);
    keys = EXCHANGE_AVX2(keys, _mm256_shuffle_epi32(keys, 0x4e), 0xcc);
    keys = EXCHANGE_AVX2(keys, _mm256_shuffle_epi32(keys, 0xb1), 0xaa);
    _mm256_storeu_si256((__m256i *)(void *)(pair->to + at), keys);
    return go_on(pair, from_a, (uint64_t)_mm_popcnt_u64((unsigned)more));
}

/* ---- Two runs ---- */

/* The loop over two runs, `lanes` keys a step, is the same for both instruction sets. A macro makes
 * one function for each, since a step is inlined only into a function for the same target. */
#define DEFINE_MERGE_PAIR(name, target, lanes)                                                     \
    static target void merge_pair_##name(const gs_key *a, size_t a_count, const gs_key *b,         \
                                         size_t b_count, gs_key *to)                               \
    {                                                                                              \
        struct pair pair = open_pair(a, a_count, b, b_count, to);                                  \
        size_t from_a[CHAINS] = {pair.from_a[0], pair.from_a[1], pair.from_a[2], pair.from_a[3]};  \
        for (size_t i = 0; i < pair.part; i += (lanes)) {                                          \
            from_a[0] = step_##name(&pair, pair.start[0] + i, from_a[0]);                          \
            from_a[1] = step_##name(&pair, pair.start[1] + i, from_a[1]);                          \
            from_a[2] = step_##name(&pair, pair.start[2] + i, from_a[2]);                          \
            from_a[3] = step_##name(&pair, pair.start[3] + i, from_a[3]);                          \
        }                                                                                          \
        for (size_t i = CHAINS * pair.part; i < pair.count; i += (lanes))                          \
            from_a[CHAINS - 1] = step_##name(&pair, i, from_a[CHAINS - 1]);                        \
    }

DEFINE_MERGE_PAIR(512, AVX512, LANES)
DEFINE_MERGE_PAIR(avx2, AVX2, HALF_LANES)

enum gs_merge_method gs_merge_method(void)
{
    if (!__builtin_cpu_supports("popcnt"))
        return GS_MERGE_NONE;
    if (GS_HAS_AVX512 && __builtin_cpu_supports("avx512f"))
        return GS_MERGE_AVX512;
    return __builtin_cpu_supports("avx2") ? GS_MERGE_AVX2 : GS_MERGE_NONE;
}

void gs_merge_pair(enum gs_merge_method method, const gs_key *a, size_t a_count, const gs_key *b,
                   size_t b_count, gs_key *to)
{
    if (method == GS_MERGE_AVX512)
        merge_pair_512(a, a_count, b, b_count, to);
    else
        merge_pair_avx2(a, a_count, b, b_count, to);
}
