/* peers.cc -- sorts that Debian packages, in place: vqsort, TBB, Boost, and two of libstdc++.
 * SPDX-License-Identifier: MIT
 */
#include "tests/bench/peers.h"

#include <algorithm>
#include <memory>

#if GS_HIGHWAY
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>
#endif
#if __has_include(<tbb/parallel_sort.h>)
#define HAS_TBB 1
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#endif
#if __has_include(<boost/sort/sort.hpp>)
#define HAS_BOOST 1
#include <boost/sort/sort.hpp>
#endif
#if defined(_OPENMP) && __has_include(<parallel/algorithm>)
#define HAS_PARALLEL_MODE 1
#include <omp.h>
#include <parallel/algorithm>
#endif

static unsigned thread_count = 1;

static void sort_std(gs_key *keys, size_t count)
{
    std::sort(keys, keys + count);
}

#if GS_HIGHWAY
static void sort_vqsort(gs_key *keys, size_t count)
{
    const hwy::Sorter sorter;
    sorter(keys, count, hwy::SortAscending());
}
#else
static void (*const sort_vqsort)(gs_key *, size_t) = nullptr;
#endif

#if HAS_TBB
static std::unique_ptr<tbb::global_control> tbb_threads;

static void sort_tbb(gs_key *keys, size_t count)
{
    tbb::parallel_sort(keys, keys + count);
}
#else
static void (*const sort_tbb)(gs_key *, size_t) = nullptr;
#endif

#if HAS_BOOST
static void sort_block_indirect(gs_key *keys, size_t count)
{
    boost::sort::block_indirect_sort(keys, keys + count, thread_count);
}

static void sort_sample(gs_key *keys, size_t count)
{
    boost::sort::sample_sort(keys, keys + count, thread_count);
}

static void sort_spread(gs_key *keys, size_t count)
{
    boost::sort::spreadsort::integer_sort(keys, keys + count);
}
#else
static void (*const sort_block_indirect)(gs_key *, size_t) = nullptr;
static void (*const sort_sample)(gs_key *, size_t) = nullptr;
static void (*const sort_spread)(gs_key *, size_t) = nullptr;
#endif

#if HAS_PARALLEL_MODE
static void sort_parallel_mode(gs_key *keys, size_t count)
{
    omp_set_num_threads(static_cast<int>(thread_count));
    __gnu_parallel::sort(keys, keys + count);
}
#else
static void (*const sort_parallel_mode)(gs_key *, size_t) = nullptr;
#endif

const struct peer peers[] = {{"vqsort", sort_vqsort, "libhwy-dev"},
                             {"TBB", sort_tbb, "libtbb-dev"},
                             {"block_indirect", sort_block_indirect, "libboost-dev"},
                             {"sample_sort", sort_sample, "libboost-dev"},
                             {"spreadsort", sort_spread, "libboost-dev"},
                             {"std::sort", sort_std, "g++"},
                             {"gnu_parallel", sort_parallel_mode, "g++"},
                             {nullptr, nullptr, nullptr}};

void peers_open(unsigned threads, bool avx2_only)
{
    thread_count = threads;
#if HAS_TBB
    tbb_threads = std::make_unique<tbb::global_control>(
        tbb::global_control::max_allowed_parallelism, threads);
#endif
#if GS_HIGHWAY
    if (avx2_only)
        hwy::DisableTargets(HWY_AVX3 | (HWY_AVX3 - 1)); // lower bits are wider instructions
#else
    (void)avx2_only;
#endif
}

void peers_close()
{
#if HAS_TBB
    tbb_threads.reset();
#endif
}
