/* gpu_ways.cu -- every way to sort in device memory, forced, of every distribution, against CUB.
 * SPDX-License-Identifier: MIT
 *
 * A sorter chooses by n whether keys are sorted without bins, whether bins are counted or lie in
 * pages, and whether these are split once more. Here each way sorts whatever it can, small sizes
 * too; the outputs are compared in full. Needs a GPU: without one it says so and exits with 77.
 *
 *     gpu_ways [--sizes=N,...] [--most=N] [--distributions=NAME,...] [--repeat=N] [--no-wait]
 *
 * Sizes are those around each at which the method changes, up to 2^26, or the given ones; up to
 * --most only. --repeat instead sorts 2^20 keys N times with new seeds, to find races, which fail
 * only now and then. --no-wait queues each sort at once, without pages.
 */
#include "sort/device/device_sort.h"
#include "tests/bench/cub_sorts.h"
#include "tests/gpu/add_room.h"
#include "tests/gpu/gpu_keys.cuh"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

struct ways {
    gs_key *source, *keys, *other, *reference, *spare;
    struct gs_device_sorter sorter;
    void *room;                   /* the sorter's pages */
    struct gs_gpu_report *report; /* the sorter's; NULL: sorts are queued at once */
    uint64_t sorts, failures;
};

static void check_status(enum gs_status st, const struct gs_error &err)
{
    if (st != GS_OK) {
        fprintf(stderr, "gpu_ways: %s\n", err.text);
        exit(2);
    }
}

static void open_ways(struct ways *ways, uint64_t capacity, bool no_wait)
{
    struct gs_error err = {};
    gs_key **buffers[] = {&ways->source, &ways->keys, &ways->other, &ways->reference, &ways->spare};
    for (gs_key **buffer : buffers)
        must(cudaMalloc(buffer, (capacity + 1) * sizeof(gs_key)));
    must(cub_open(capacity));
    check_status(gs_device_sorter_open(&ways->sorter, capacity, &err), err);
    if (!no_wait)
        ways->room = add_room(&ways->sorter, 1, 1);
    ways->report = no_wait ? NULL : ways->sorter.work.report;
}

/* Make the source, and sort it by CUB. */
static const gs_key *make_sorted(struct ways *ways, uint64_t n, int distribution, uint64_t seed)
{
    gs_key *sorted = ways->source;
    make_source(ways->source, n, distribution, seed);
    must(cudaMemcpy(ways->reference, ways->source, n * sizeof(gs_key), cudaMemcpyDeviceToDevice));
    if (n > 0)
        must(cub_sort(ways->reference, ways->spare, n, &sorted));
    return sorted;
}

/* Sort the source. */
static void check_once(struct ways *ways, const gs_key *sorted, uint64_t n, int distribution)
{
    struct gs_error err = {};
    struct gs_device_stats stats;
    struct gs_device_sorter *sorter = &ways->sorter;
    struct gs_gpu_report *const pinned = sorter->work.report;
    must(cudaMemcpy(ways->keys, ways->source, n * sizeof(gs_key), cudaMemcpyDeviceToDevice));
    must(cudaMemset(ways->other, 0xa5, n * sizeof(gs_key)));
    sorter->work.report = ways->report;
    check_status(gs_device_sort(sorter, ways->keys, ways->other, n, &stats, &err), err);
    sorter->work.report = pinned;
    const uint64_t wrong = count_differences(stats.in_other ? ways->other : ways->keys, sorted, n);
    if (wrong > 0)
        printf("FAIL n=%llu %s: %llu keys differ (few %u, paged %llu, split %llu, levels %u, jobs "
               "%u + %u + %u, fills %u)\n",
               (unsigned long long)n, name_of(distribution), (unsigned long long)wrong,
               sorter->few_keys, (unsigned long long)sorter->room.paged_keys,
               (unsigned long long)sorter->room.split_keys, stats.levels, stats.narrow_jobs,
               stats.small_jobs, stats.medium_jobs, stats.fills);
    ways->sorts++;
    ways->failures += wrong > 0;
}

/* Sort n keys of a distribution in each way. */
static void check_ways(struct ways *ways, uint64_t n, int distribution, uint64_t seed)
{
    enum { FEW, COUNTED, PAGED, SPLIT, SPLIT_ORDERED };
    struct gs_device_sorter *sorter = &ways->sorter;
    const gs_key *sorted = make_sorted(ways, n, distribution, seed);
    const int most = ways->report == NULL ? COUNTED : GS_BITS > 32 ? PAGED : SPLIT_ORDERED;
    for (int way = n <= GS_GPU_FEW_KEYS ? FEW : COUNTED; way <= most; way++) {
        if (way > FEW && n <= GS_GPU_MEDIUM_KEYS)
            continue;
        sorter->few_keys = way == FEW ? GS_GPU_FEW_KEYS : GS_GPU_MEDIUM_KEYS;
        sorter->room.paged_keys = way >= PAGED ? 1 : UINT64_MAX;
        sorter->room.split_keys = way >= SPLIT ? 1 : UINT64_MAX;
        sorter->room.split_ordered = way == SPLIT_ORDERED;
        check_once(ways, sorted, n, distribution);
    }
}

/* Sizes around those at which gsort changes its method. */
static std::vector<uint64_t> boundary_sizes()
{
    std::vector<uint64_t> sizes = {0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 1000};
    for (uint64_t edge : {(uint64_t)GS_GPU_SMALL_KEYS, (uint64_t)GS_GPU_MEDIUM_KEYS,
                          (uint64_t)GS_GPU_TILE_KEYS * 7, 1UL << 14, 1UL << 16,
                          (uint64_t)GS_GPU_FEW_KEYS, 1UL << 20, 1UL << 21, 1UL << 23, 1UL << 26})
        for (int d = -1; d <= 1; d++)
            sizes.push_back(edge + (uint64_t)d);
    return sizes;
}

int main(int argc, char **argv)
{
    std::vector<uint64_t> sizes;
    std::vector<int> distributions;
    uint64_t most = UINT64_MAX;
    unsigned times = 0;
    bool no_wait = false;
    static struct ways ways;
    require_gpu();
    for (int i = 1; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        std::string name(argv[i], value != NULL ? (size_t)(value - argv[i]) : strlen(argv[i]));
        value = value != NULL ? value + 1 : "";
        if (name == "--sizes") {
            for (const std::string &word : split(value))
                sizes.push_back(strtoull(word.c_str(), NULL, 0));
        } else if (name == "--distributions") {
            for (const std::string &word : split(value))
                if (!find_distributions(word, distributions)) {
                    fprintf(stderr, "gpu_ways: %s is no distribution\n", word.c_str());
                    return 2;
                }
        } else if (name == "--most") {
            most = strtoull(value, NULL, 0);
        } else if (name == "--repeat") {
            times = (unsigned)atoi(value);
        } else if (name == "--no-wait") {
            no_wait = true;
        } else {
            fprintf(stderr, "gpu_ways: unknown option %s\n", argv[i]);
            return 2;
        }
    }
    for (int d = 0, all = distributions.empty() ? KINDS : 0; d < all; d++)
        distributions.push_back(d);
    if (times > 0)
        sizes = {1 << 20};
    else if (sizes.empty())
        sizes = boundary_sizes();
    sizes.erase(std::remove_if(sizes.begin(), sizes.end(), [=](uint64_t n) { return n > most; }),
                sizes.end());
    open_ways(&ways, *std::max_element(sizes.begin(), sizes.end()), no_wait);
    for (unsigned i = 0; i < times; i++)
        check_ways(&ways, sizes[0], distributions[i % distributions.size()], 1000 + i);
    for (uint64_t n : sizes)
        for (size_t d = 0; d < distributions.size() && times == 0; d++)
            check_ways(&ways, n, distributions[d], n + 11);
    printf("%llu sorts, %llu failures\n", (unsigned long long)ways.sorts,
           (unsigned long long)ways.failures);
    gs_device_sorter_close(&ways.sorter);
    cudaFree(ways.room);
    return ways.failures > 0;
}
