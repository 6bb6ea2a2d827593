/* engine_block.cu -- the shared-memory engines: one block, a thread per list (as engine_cpu.c).
 * SPDX-License-Identifier: MIT
 *
 * The keys are loaded in input order, which already makes them interleaved lists. Thread t sorts
 * list t by the bits that vary (interleaved_lists.h: no bank conflicts), and from then on keeps the
 * list's head and the key after it in registers. Each merge step finds the least head; the winning
 * thread writes it out and reloads. An exhausted list is known by the number of keys left, as no
 * key could mark its end: GS_KEY_MAX is a valid key.
 *
 * Up to 32 lists take one warp, which needs no block barrier; ONE_WARP selects these kernels. The
 * words that the threads of a merge share lie where the scratch lists were, so that no shared
 * memory is lost to them. Two consecutive steps with no barrier between them use different words:
 * each step has a turn, 0 or 1.
 */
#include "sort/engines/gpu/engine_block.h"
#include "sort/device/kernels/gpu_block.cuh"

enum { WARPS_MAX = GS_OPTION_LISTS_MAX / 32 };

static_assert(32 % WARPS_MAX == 0, "a warp's lanes read the minima of all warps");
static_assert(2 * GS_OPTION_LISTS_MAX <= GS_LISTS_STATE_WORDS, "room for the pairs of a reduction");

/* Synchronise the threads of the block. */
template <bool ONE_WARP> static __device__ __forceinline__ void meet()
{
    if constexpr (ONE_WARP)
        __syncwarp();
    else
        __syncthreads();
}

/* One thread's sorted list, while it is merged. */
struct list_head {
    uint32_t key;      /* the least key left, if any is */
    uint32_t upcoming; /* the one after it, if any is */
    uint32_t left;     /* keys left, the head included */
    uint32_t lists;
    const uint32_t *next; /* upcoming's place */

    __device__ __forceinline__ list_head(const struct gs_list &list)
        : key(GS_KEY_MAX), upcoming(GS_KEY_MAX), left(list.length), lists(list.lists),
          next(list.words + list.first)
    {
        if (left > 0)
            key = *next;
        look_ahead();
    }

    __device__ __forceinline__ void look_ahead()
    {
        if (left > 1) {
            next += lists;
            upcoming = *next;
        }
    }

    __device__ __forceinline__ void advance()
    {
        key = upcoming;
        left--;
        look_ahead();
    }
};

/* Two atomics per step: the minimum of the heads, then the lowest thread that has it. */
template <bool ONE_WARP>
static __device__ void merge_atomicmin(struct list_head head, uint32_t *out, uint32_t n,
                                       uint32_t *s_state)
{
    uint32_t *s_minimum = s_state; /* one word for each turn */
    uint32_t *s_winner = s_state + 2;
    if (threadIdx.x < 4)
        s_state[threadIdx.x] = GS_KEY_MAX;
    meet<ONE_WARP>();
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t turn = i & 1;
        if (head.left > 0)
            atomicMin(&s_minimum[turn], head.key);
        meet<ONE_WARP>();
        const uint32_t minimum = s_minimum[turn];
        if (head.left > 0 && head.key == minimum)
            atomicMin(&s_winner[turn], threadIdx.x);
        if (threadIdx.x == 0) { /* the next step's words, which all threads have read */
            s_minimum[turn ^ 1] = GS_KEY_MAX;
            s_winner[turn ^ 1] = GS_KEY_MAX;
        }
        meet<ONE_WARP>();
        if (s_winner[turn] == threadIdx.x) {
            out[i] = minimum;
            head.advance();
        }
    }
}

/* A reduction tree over pairs of head and thread. At each level the upper half of the remaining
 * threads stores its pairs for the lower half and retires, whole warps at a time; the last warp
 * finishes by shuffles. A thread retires at one level only: each pair has a place of its own. */
template <bool ONE_WARP>
static __device__ void merge_reduction(struct list_head head, uint32_t *out, uint32_t n,
                                       uint32_t *s_state)
{
    typedef unsigned long long pair_t;
    pair_t *s_pair = (pair_t *)s_state; /* [0]: the winner; [32 ..]: what retired threads leave */
    const uint32_t t = threadIdx.x;
    for (uint32_t i = 0; i < n; i++) {
        pair_t pair = head.left > 0 ? (pair_t)head.key << 32 | t : ~0ULL;
        if constexpr (!ONE_WARP) {
            for (uint32_t half = blockDim.x / 2; half >= 32; half /= 2) {
                if (t >= half && t < 2 * half)
                    s_pair[t] = pair;
                meet<ONE_WARP>();
                if (t < half)
                    pair = min(pair, s_pair[t + half]);
            }
        }
        if (t < 32) {
#pragma unroll
            for (int step = 16; step > 0; step >>= 1)
                pair = min(pair, __shfl_xor_sync(GS_ALL_LANES, pair, step));
        }
        if constexpr (!ONE_WARP) {
            if (t == 0)
                s_pair[0] = pair;
            meet<ONE_WARP>();
            pair = s_pair[0];
        }
        if ((uint32_t)pair == t) {
            out[i] = (uint32_t)(pair >> 32);
            head.advance();
        }
    }
}

/* What the threads of the hybrid engine share, for each turn: the minimum of each group of heads,
 * and how many keys the group's lists have left. */
struct hybrid_state {
    uint32_t minimum[2][WARPS_MAX];
    uint32_t left[2][WARPS_MAX];
};

/* By all lanes of a warp: *best is the least of the groups' minima; returns the first group that
 * has it. */
static __device__ __forceinline__ uint32_t choose_group(const struct hybrid_state *s_state,
                                                        uint32_t turn, uint32_t *best)
{
    const uint32_t group = lane_index() % WARPS_MAX;
    const bool any = s_state->left[turn][group] > 0;
    const uint32_t minimum = s_state->minimum[turn][group];
    *best = reduce_min_warp(any ? minimum : GS_KEY_MAX);
    return (uint32_t)__ffs((int)__ballot_sync(GS_ALL_LANES, any && minimum == *best)) - 1;
}

/* Each group of heads keeps its minimum from step to step; a warp reduces these minima, and only
 * the winner's group recomputes its own. A group is a warp, whose minimum takes one instruction:
 * groups of 8, as on the CPU, took 555 cycles a step with atomicMin and with the warp's instruction
 * alike, a warp takes 242 (38,656 keys, 32 lists, H200). Each warp reduces the groups' minima for
 * itself: no result has to be broadcast, and a step has one barrier. */
template <bool ONE_WARP>
static __device__ void merge_hybrid(struct list_head head, uint32_t *out, uint32_t n,
                                    uint32_t *s_words)
{
    struct hybrid_state *s_state = (struct hybrid_state *)s_words;
    const uint32_t lane = lane_index();
    const uint32_t group = threadIdx.x / 32;
    uint32_t minimum = reduce_min_warp(head.left > 0 ? head.key : GS_KEY_MAX);
    uint32_t left = __shfl_sync(GS_ALL_LANES, scan_warp(head.left), 31); /* in the group's lists */
    if constexpr (!ONE_WARP) {
        if (threadIdx.x < 2 * WARPS_MAX)
            s_state->left[threadIdx.x / WARPS_MAX][threadIdx.x % WARPS_MAX] = 0;
        meet<ONE_WARP>();
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t best = minimum;
        uint32_t best_group = 0;
        if constexpr (!ONE_WARP) {
            const uint32_t turn = i & 1;
            if (lane == 0) {
                s_state->minimum[turn][group] = minimum;
                s_state->left[turn][group] = left;
            }
            meet<ONE_WARP>();
            best_group = choose_group(s_state, turn, &best);
        }
        if (group != best_group)
            continue;
        const uint32_t equal = __ballot_sync(GS_ALL_LANES, head.left > 0 && head.key == best);
        if (lane == (uint32_t)__ffs((int)equal) - 1) {
            out[i] = best;
            head.advance();
        }
        minimum = reduce_min_warp(head.left > 0 ? head.key : GS_KEY_MAX);
        left--;
    }
}

template <int MERGE, bool ONE_WARP>
static __global__ void __launch_bounds__(ONE_WARP ? 32 : GS_OPTION_LISTS_MAX)
    engine_kernel(const uint32_t *in, uint32_t *out, uint32_t n, uint32_t lists,
                  struct gs_engine_report *report)
{
    extern __shared__ __align__(16) uint32_t s_words[];
    uint32_t *s_state = s_words + gs_lists_scratch(n, lists);
    const uint32_t t = threadIdx.x;
    const long long start = clock64();

    /* Load, and find the bits that vary. */
    if (t == 0)
        *s_state = 0;
    meet<ONE_WARP>();
    const uint32_t first = in[0];
    uint32_t varying = 0;
    for (uint32_t i = t; i < n; i += blockDim.x) {
        uint32_t key = in[i];
        s_words[i] = key;
        varying |= key ^ first;
    }
    varying = reduce_or_warp(varying);
    if (lane_index() == 0)
        atomicOr(s_state, varying);
    meet<ONE_WARP>(); /* for the keys, too: threads without a list load some */
    varying = *s_state;
    meet<ONE_WARP>(); /* from here on this word belongs to a scratch list again */

    /* Sort. */
    struct gs_list list = gs_lists_at(s_words, n, lists, t);
    if (t >= lists)
        list.length = 0;
    gs_list_sort(&list, varying);
    meet<ONE_WARP>(); /* the words that a merge shares lie where the scratch lists were */
    const long long sorted = clock64();

    /* Merge. */
    const struct list_head head(list);
    if constexpr (MERGE == GS_LIST_MERGE_ATOMICMIN)
        merge_atomicmin<ONE_WARP>(head, out, n, s_state);
    else if constexpr (MERGE == GS_LIST_MERGE_REDUCTION)
        merge_reduction<ONE_WARP>(head, out, n, s_state);
    else
        merge_hybrid<ONE_WARP>(head, out, n, s_state);
    if (t == 0) {
        report->sort_cycles = (uint64_t)(sorted - start);
        report->merge_cycles = (uint64_t)(clock64() - sorted);
        report->varying = varying;
    }
}

typedef void (*engine_kernel_t)(const uint32_t *in, uint32_t *out, uint32_t n, uint32_t lists,
                                struct gs_engine_report *report);

template <int MERGE> static engine_kernel_t choose_width(uint32_t lists)
{
    return lists <= 32 ? engine_kernel<MERGE, true> : engine_kernel<MERGE, false>;
}

static engine_kernel_t choose_kernel(enum gs_list_merge merge, uint32_t lists)
{
    if (merge == GS_LIST_MERGE_ATOMICMIN)
        return choose_width<GS_LIST_MERGE_ATOMICMIN>(lists);
    if (merge == GS_LIST_MERGE_REDUCTION)
        return choose_width<GS_LIST_MERGE_REDUCTION>(lists);
    return choose_width<GS_LIST_MERGE_HYBRID>(lists);
}

static size_t shared_bytes(uint32_t n, uint32_t lists)
{
    return gs_lists_words(n, lists) * sizeof(uint32_t);
}

cudaError_t gs_engine_block_load(enum gs_list_merge merge, uint32_t lists, uint32_t n)
{
    return cudaFuncSetAttribute(choose_kernel(merge, lists),
                                cudaFuncAttributeMaxDynamicSharedMemorySize,
                                (int)shared_bytes(n, lists));
}

cudaError_t gs_engine_block_sort(enum gs_list_merge merge, uint32_t lists, const uint32_t *in,
                                 uint32_t *out, uint32_t n, struct gs_engine_report *report,
                                 cudaStream_t stream)
{
    const engine_kernel_t kernel = choose_kernel(merge, lists);
    const uint32_t threads = lists > 32 ? lists : 32;
    kernel<<<1, threads, shared_bytes(n, lists), stream>>>(in, out, n, lists, report);
    return cudaGetLastError();
}
