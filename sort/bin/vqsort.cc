/* vqsort.cc -- Highway's vqsort behind a C interface. Built with HIGHWAY=1 only.
 * SPDX-License-Identifier: MIT
 *
 * Highway itself chooses the instruction set, at the first call. Since Highway 1.0.3 a Sorter holds
 * no state, so making one per bin is free.
 */
#include "sort/bin/vqsort.h"

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/nanobenchmark.h>
#include <hwy/targets.h>

#include <atomic>

/* Replaces the library's own function, a measurement of 4 ms that the library's benchmark harness
 * makes at the start of any program linked with it. Nothing here uses the harness. Weak: with a
 * static library, the library's function wins. */
__attribute__((weak, visibility("default"))) uint64_t hwy::platform::TimerResolution()
{
    return 1;
}

/* Highway 1.0 does not ask for all that its code needs: POPCNT, which a hypervisor may mask, and
 * whether the system saves the registers of AVX, which Linux does not with "noxsave". Before
 * main(), since the first call chooses the instruction set for all. (After DisableTargets(), a call
 * of SupportedTargets() chooses a disabled one again.) */
#if defined(__x86_64__)
__attribute__((constructor)) static void keep_to_processor()
{
    const bool counts = __builtin_cpu_supports("popcnt");
    const int64_t missing = counts ? HWY_AVX2 : HWY_SSE4; /* better ones have lower bits */
    if (!counts || !__builtin_cpu_supports("avx2"))
        hwy::SetSupportedTargetsForTest(hwy::SupportedTargets() & ~(missing | (missing - 1)));
}
#endif

namespace
{

/* Keys of a type that Highway knows. */
template <class Key> Key *known(Key *keys)
{
    return keys;
}

__extension__ typedef unsigned __int128 wide_key;

[[maybe_unused]] hwy::uint128_t *known(wide_key *keys)
{
    return reinterpret_cast<hwy::uint128_t *>(keys);
}

} // namespace

void gs_vqsort(gs_key *keys, size_t count)
{
    const hwy::Sorter sorter;
    sorter(known(keys), count, hwy::SortAscending());
}

void gs_vqsort_words(uint64_t *words, size_t count)
{
    const hwy::Sorter sorter;
    sorter(words, count, hwy::SortAscending());
}

/* The best target that this processor supports: its lowest bit. Cached, since Highway queries the
 * processor at each call, which takes microseconds in a virtual machine; racing threads find the
 * same value. */
static int64_t best_target()
{
    static std::atomic<int64_t> best{0};
    int64_t target = best.load(std::memory_order_relaxed);
    if (target == 0) {
        const int64_t supported = hwy::SupportedTargets();
        target = supported & -supported;
        best.store(target, std::memory_order_relaxed);
    }
    return target;
}

bool gs_vqsort_usable(void)
{
    return best_target() < HWY_EMU128;
}

const char *gs_vqsort_target(void)
{
    return hwy::TargetName(best_target());
}
