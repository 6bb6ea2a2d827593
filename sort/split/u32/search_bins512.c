/* search_bins512.c -- the search among splitters, for 16 keys at a time.
 * SPDX-License-Identifier: MIT
 *
 * By the guide and halving steps, each a gather of 16 words from the cache; or down a tree of
 * splitters whose upper levels are in registers, where a level costs less than half a gather.
 */
#include "sort/split/u32/search_vectors.h"
#include "sort/keys/params.h"
#include "sort/keys/vectors.h"

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
    /* The cell is the upper half of what is gathered: in front of the first lie the splitters. */
    const char *const cells = (const char *)splitters->first - sizeof splitters->first[0];
    uint64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        __m512i key = _mm512_loadu_si512(keys + i);
        /* GCC 12 has loaded it twice, for the bins and for the copy, and somebody may write to the
         * keys in between. */
        __asm__("" : "+v"(key));
        __builtin_prefetch(keys + i + GS_ROOMS_BLOCK); /* prefetch the next block */
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

/* Keys of a vector, and vectors side by side, since each step waits for the one before. */
enum { LANES = 16, VECTORS = 4 };

/* One halving step of 16 keys. */
INLINE_AVX512 __m512i halve(const gs_key *splitter, __m512i key, __m512i bin, uint32_t half)
{
    const __m512i bound = _mm512_i32gather_epi32(bin, splitter + half - 1, 4);
    return _mm512_mask_add_epi32(bin, _mm512_cmplt_epu32_mask(bound, key), bin,
                                 _mm512_set1_epi32((int)half));
}

/* All halving steps of vectors side by side. vectors is a constant at every call, here and
 * below. */
INLINE_AVX512 void halve_all(const gs_key *splitter, uint32_t steps, int vectors,
                             const __m512i *key, __m512i *bin)
{
    for (uint32_t half = 1U << steps >> 1; half != 0; half >>= 1)
        for (int v = 0; v < vectors; v++)
            bin[v] = halve(splitter, key[v], bin[v], half);
}

INLINE_AVX512 void note_bins(const __m512i *bin, int vectors, uint16_t *bins)
{
    for (int v = 0; v < vectors; v++)
        _mm256_storeu_si256((void *)(bins + LANES * v), _mm512_cvtepi32_epi16(bin[v]));
}

INLINE_AVX512 void search_bins(const struct gs_splitters *splitters, int vectors,
                               const gs_key *keys, uint16_t *bins)
{
    __m512i key[VECTORS];
    __m512i bin[VECTORS];
    for (int v = 0; v < vectors; v++) {
        key[v] = _mm512_loadu_si512(keys + LANES * v);
        bin[v] = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)(bins + LANES * v)));
    }
    halve_all(splitters->splitter, splitters->steps, vectors, key, bin);
    note_bins(bin, vectors, bins);
}

AVX512 uint64_t gs_search_bins512(const struct gs_splitters *splitters, const gs_key *keys,
                                  uint64_t count, uint16_t *bins)
{
    uint64_t i = 0;
    for (; i + VECTORS * LANES <= count; i += VECTORS * LANES)
        search_bins(splitters, VECTORS, keys + i, bins + i);
    for (; i + LANES <= count; i += LANES)
        search_bins(splitters, 1, keys + i, bins + i);
    return i;
}

/* Eight levels of a tree: the children of node i are 2 i and 2 i + 1, the root is 1. */
enum { TREE_LEVELS = 8, TREE_VECTORS = (1 << TREE_LEVELS) / LANES };

/* Halving steps left below the tree. */
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

/* Descend from a node with this bound to one of its children. */
INLINE_AVX512 __m512i descend(__m512i node, __m512i bound, __m512i key)
{
    const __m512i left = _mm512_add_epi32(node, node);
    return _mm512_mask_add_epi32(left, _mm512_cmplt_epu32_mask(bound, key), left,
                                 _mm512_set1_epi32(1));
}

/* The bounds of nodes, by their lowest five and six bits: a permutation takes five as the number of
 * a lane in two vectors. */
INLINE_AVX512 __m512i bounds_of_32(const __m512i *bounds, __m512i node)
{
    return _mm512_permutex2var_epi32(bounds[0], node, bounds[1]);
}

INLINE_AVX512 __m512i bounds_of_64(const __m512i *bounds, __m512i node)
{
    const __mmask16 upper = _mm512_test_epi32_mask(node, _mm512_set1_epi32(32));
    return _mm512_mask_mov_epi32(bounds_of_32(bounds, node), upper, bounds_of_32(bounds + 2, node));
}

/* The bounds of nodes on a level, which is a constant at every call. */
INLINE_AVX512 __m512i bounds_of(const __m512i *tree, uint32_t level, __m512i node)
{
    const __m512i *bounds = tree + (1U << level) / LANES;
    if (level <= 4)
        return _mm512_permutexvar_epi32(node, bounds[0]);
    if (level == 5)
        return bounds_of_32(bounds, node);
    if (level == 6)
        return bounds_of_64(bounds, node);
    const __mmask16 upper = _mm512_test_epi32_mask(node, _mm512_set1_epi32(64));
    return _mm512_mask_mov_epi32(bounds_of_64(bounds, node), upper, bounds_of_64(bounds + 4, node));
}

/* Copy `vectors` times 16 keys and find their bins, side by side. */
INLINE_AVX512 void tree_bins(const struct gs_splitters *splitters, const __m512i *tree,
                             uint32_t below, int vectors, const gs_key *keys, gs_key *copy,
                             uint16_t *bins)
{
    __m512i key[VECTORS];
    __m512i node[VECTORS];
    for (int v = 0; v < vectors; v++) {
        key[v] = _mm512_loadu_si512(keys + LANES * v);
        __asm__("" : "+v"(key[v]));                            /* read once, as above */
        __builtin_prefetch(keys + LANES * v + GS_ROOMS_BLOCK); /* prefetch the next block */
        _mm512_storeu_si512(copy + LANES * v, key[v]);
        node[v] = _mm512_set1_epi32(1);
    }
#pragma GCC unroll 8
    for (uint32_t level = 0; level < TREE_LEVELS; level++)
        for (int v = 0; v < vectors; v++)
            node[v] = descend(node[v], bounds_of(tree, level, node[v]), key[v]);
    for (int v = 0; v < vectors; v++)
        node[v] = _mm512_slli_epi32(_mm512_sub_epi32(node[v], _mm512_set1_epi32(1 << TREE_LEVELS)),
                                    below);
    halve_all(splitters->splitter, below, vectors, key, node);
    note_bins(node, vectors, bins);
}

/* Eight levels take about as long as the guide and one halving step. */
bool gs_tree_bins512_better(const struct gs_splitters *splitters)
{
    return steps_below(splitters) + 1 < splitters->steps;
}

AVX512 uint64_t gs_tree_bins512(const struct gs_splitters *splitters, const gs_key *keys,
                                uint64_t count, gs_key *copy, uint16_t *bins)
{
    uint32_t nodes[TREE_VECTORS * LANES] __attribute__((aligned(64)));
    __m512i tree[TREE_VECTORS];
    const uint32_t below = steps_below(splitters);
    uint64_t i = 0;
    plant_tree(splitters, below, nodes);
    for (int v = 0; v < TREE_VECTORS; v++)
        tree[v] = _mm512_load_si512(nodes + LANES * v);
    for (; i + VECTORS * LANES <= count; i += VECTORS * LANES)
        tree_bins(splitters, tree, below, VECTORS, keys + i, copy + i, bins + i);
    for (; i + LANES <= count; i += LANES)
        tree_bins(splitters, tree, below, 1, keys + i, copy + i, bins + i);
    return i;
}

bool gs_search_bins512_usable(void)
{
    return GS_HAS_AVX512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd");
}
