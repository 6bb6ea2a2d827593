/* search_bins512.c -- the search among splitters, for 16 keys at a time.
 * SPDX-License-Identifier: MIT
 *
 * By the guide and halving steps, each of which gathers 16 words from the cache; or down a tree of
 * splitters whose upper levels lie in registers, where a level costs less than half of a gather.
 */
#include "sort/search_bins.h"
#include "sort/chunk_rooms.h"

#if GS_SEARCH_BINS_HAS_512

#include <immintrin.h>

#define AVX512        __attribute__((target("avx512f,avx512cd")))
#define INLINE_AVX512 static inline __attribute__((always_inline, target("avx512f,avx512cd")))

/* gs_splitters_cell() of 16 keys. */
INLINE_AVX512 __m512i find_cells(const struct gs_splitters *splitters, enum gs_guide guide,
                                 __m512i keys)
{
    if (guide == GS_GUIDE_TOP)
        return _mm512_srli_epi32(keys, GS_KEY_BITS - GS_GUIDE_LOG2);
    if (guide == GS_GUIDE_EVEN)
        return _mm512_srl_epi32(keys, _mm_cvtsi32_si128((int)splitters->shift));
    const __m512i base = _mm512_set1_epi32((int)splitters->base);
    const __m512i distance = _mm512_sub_epi32(_mm512_max_epu32(keys, base), base);
    if (guide == GS_GUIDE_LINEAR)
        return _mm512_min_epu32(
            _mm512_srl_epi32(distance, _mm_cvtsi32_si128((int)splitters->shift)),
            _mm512_set1_epi32(GS_GUIDE_CELLS - 1));
    const __m512i least = _mm512_set1_epi32(1 << GS_GUIDE_LOG_FRACTION);
    const __m512i octave = _mm512_sub_epi32(_mm512_set1_epi32(31 - GS_GUIDE_LOG_FRACTION),
                                            _mm512_lzcnt_epi32(_mm512_or_si512(distance, least)));
    return _mm512_add_epi32(_mm512_slli_epi32(octave, GS_GUIDE_LOG_FRACTION),
                            _mm512_srlv_epi32(distance, octave));
}

/* guide is a constant at every call. */
INLINE_AVX512 uint64_t guide_bins(const struct gs_splitters *splitters, enum gs_guide guide,
                                  const gs_key *keys, uint64_t count, gs_key *copy, uint16_t *bins)
{
    /* A cell in the upper half of what is loaded: before the first lie the splitters. */
    const char *const cells = (const char *)splitters->first - sizeof splitters->first[0];
    uint64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        __m512i key = _mm512_loadu_si512(keys + i);
        /* Read once: gcc 12 has made two loads of it, one for the bins and one for the copy, and
         * somebody may write to the keys in between. */
        __asm__("" : "+v"(key));
        __builtin_prefetch(keys + i + GS_ROOMS_BLOCK); /* the next block is on its way meanwhile */
        const __m512i cell = find_cells(splitters, guide, key);
        const __m512i bin = guide == GS_GUIDE_EVEN
                                ? cell
                                : _mm512_srli_epi32(_mm512_i32gather_epi32(cell, cells, 2), 16);
        _mm512_storeu_si512(copy + i, key);
        _mm256_storeu_si256((void *)(bins + i), _mm512_cvtepi32_epi16(bin));
    }
    return i;
}

static_assert(offsetof(struct gs_splitters, first) >= sizeof(uint16_t), "splitters come first");

AVX512 uint64_t gs_guide_bins512(const struct gs_splitters *splitters, const gs_key *keys,
                                 uint64_t count, gs_key *copy, uint16_t *bins)
{
    if (splitters->guide == GS_GUIDE_TOP)
        return guide_bins(splitters, GS_GUIDE_TOP, keys, count, copy, bins);
    if (splitters->guide == GS_GUIDE_LINEAR)
        return guide_bins(splitters, GS_GUIDE_LINEAR, keys, count, copy, bins);
    if (splitters->guide == GS_GUIDE_EVEN)
        return guide_bins(splitters, GS_GUIDE_EVEN, keys, count, copy, bins);
    return guide_bins(splitters, GS_GUIDE_LOG, keys, count, copy, bins);
}

/* One halving step of 16 keys. */
INLINE_AVX512 __m512i halve(const gs_key *splitter, __m512i key, __m512i bin, uint32_t half)
{
    const __m512i bound = _mm512_i32gather_epi32(bin, splitter + half - 1, 4);
    return _mm512_mask_add_epi32(bin, _mm512_cmplt_epu32_mask(bound, key), bin,
                                 _mm512_set1_epi32((int)half));
}

AVX512 uint64_t gs_search_bins512(const struct gs_splitters *splitters, const gs_key *keys,
                                  uint64_t count, uint16_t *bins)
{
    enum { VECTORS = 4, KEYS = 16 }; /* side by side: a step waits for the one before */
    const uint32_t halves = 1U << splitters->steps >> 1;
    uint64_t i = 0;
    for (; i + VECTORS * KEYS <= count; i += VECTORS * KEYS) {
        __m512i key[VECTORS], bin[VECTORS];
        for (int v = 0; v < VECTORS; v++) {
            key[v] = _mm512_loadu_si512(keys + i + KEYS * v);
            bin[v] = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)(bins + i + KEYS * v)));
        }
        for (uint32_t half = halves; half != 0; half >>= 1)
            for (int v = 0; v < VECTORS; v++)
                bin[v] = halve(splitters->splitter, key[v], bin[v], half);
        for (int v = 0; v < VECTORS; v++)
            _mm256_storeu_si256((void *)(bins + i + KEYS * v), _mm512_cvtepi32_epi16(bin[v]));
    }
    for (; i + KEYS <= count; i += KEYS) {
        const __m512i key = _mm512_loadu_si512(keys + i);
        __m512i bin = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)(bins + i)));
        for (uint32_t half = halves; half != 0; half >>= 1)
            bin = halve(splitters->splitter, key, bin, half);
        _mm256_storeu_si256((void *)(bins + i), _mm512_cvtepi32_epi16(bin));
    }
    return i;
}

/* Seven levels of a tree: the children of node i are 2 i and 2 i + 1, the root is 1. */
enum { TREE_LEVELS = 7, NODES = 16, TREE_VECTORS = (1 << TREE_LEVELS) / NODES };

/* Halving steps that a tree leaves. */
static uint32_t steps_below(const struct gs_splitters *splitters)
{
    return splitters->count >> TREE_LEVELS == 0
               ? 0
               : 32 - (uint32_t)__builtin_clz(splitters->count >> TREE_LEVELS);
}

static void plant_tree(const struct gs_splitters *splitters, uint32_t below, uint32_t *nodes)
{
    nodes[0] = 0;
    for (uint32_t level = 0; level < TREE_LEVELS; level++)
        for (uint32_t i = 0; i < 1U << level; i++)
            nodes[(1U << level) + i] =
                splitters->splitter[((2 * i + 1) << (TREE_LEVELS - 1 - level + below)) - 1];
}

/* From a node with this bound to one of its children. */
INLINE_AVX512 __m512i descend(__m512i node, __m512i bound, __m512i key)
{
    const __m512i left = _mm512_add_epi32(node, node);
    return _mm512_mask_add_epi32(left, _mm512_cmplt_epu32_mask(bound, key), left,
                                 _mm512_set1_epi32(1));
}

/* From the root to below the last level: a permutation takes the lowest bits of a node as the
 * number of its lane, in one vector or in two. */
INLINE_AVX512 __m512i descend_tree(const __m512i *tree, __m512i key)
{
    __m512i node = _mm512_set1_epi32(1);
    for (int level = 0; level < 4; level++)
        node = descend(node, _mm512_permutexvar_epi32(node, tree[0]), key);
    node = descend(node, _mm512_permutexvar_epi32(node, tree[1]), key);
    node = descend(node, _mm512_permutex2var_epi32(tree[2], node, tree[3]), key);
    const __mmask16 right = _mm512_test_epi32_mask(node, _mm512_set1_epi32(2 * NODES));
    const __m512i bound =
        _mm512_mask_mov_epi32(_mm512_permutex2var_epi32(tree[4], node, tree[5]), right,
                              _mm512_permutex2var_epi32(tree[6], node, tree[7]));
    return descend(node, bound, key);
}

bool gs_tree_bins512_better(const struct gs_splitters *splitters)
{
    return steps_below(splitters) < splitters->steps;
}

AVX512 uint64_t gs_tree_bins512(const struct gs_splitters *splitters, const gs_key *keys,
                                uint64_t count, gs_key *copy, uint16_t *bins)
{
    uint32_t nodes[TREE_VECTORS * NODES] __attribute__((aligned(64)));
    __m512i tree[TREE_VECTORS];
    const uint32_t below = steps_below(splitters);
    uint64_t i = 0;
    plant_tree(splitters, below, nodes);
    for (int v = 0; v < TREE_VECTORS; v++)
        tree[v] = _mm512_load_si512(nodes + NODES * v);
    for (; i + 16 <= count; i += 16) {
        __m512i key = _mm512_loadu_si512(keys + i);
        __asm__("" : "+v"(key));                       /* read once, as above */
        __builtin_prefetch(keys + i + GS_ROOMS_BLOCK); /* the next block is on its way meanwhile */
        __m512i bin = _mm512_slli_epi32(
            _mm512_sub_epi32(descend_tree(tree, key), _mm512_set1_epi32(1 << TREE_LEVELS)), below);
        for (uint32_t half = 1U << below >> 1; half != 0; half >>= 1)
            bin = halve(splitters->splitter, key, bin, half);
        _mm512_storeu_si512(copy + i, key);
        _mm256_storeu_si256((void *)(bins + i), _mm512_cvtepi32_epi16(bin));
    }
    return i;
}

bool gs_search_bins512_usable(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd");
}

#endif
