/* bench_gpu.cu -- gsort's sort of keys in device memory against CUB's DeviceRadixSort.
 * SPDX-License-Identifier: MIT
 *
 * Each repetition draws fresh keys and sorts them with CUB (DoubleBuffer) and with the library's
 * call, to another array and in place, its temporary memory poisoned before. Events time each sort
 * with all that it does, and the outputs are compared in full; --type=WORDS sorts the same bytes as
 * another type, not compared. Figures are medians. thrust::sort is timed for the record, and
 * so is a copy of the keys, which bounds any sort: "of the limit" is gsort's speed as a fraction of
 * the copy's. --stages looks inside: it times the sorter without the call, in place, and prints the
 * time of each stage and its bandwidth, on the assumption that it reads all keys once and, unless
 * it counts them, writes them once. --check times nothing, but sorts many sizes of every
 * distribution. Exit status 1 if any output differs.
 *
 * Distributions are those of bench_gpu_keys.cuh, made on the device. Other names are those of
 * keygen, whose keys the CPU makes; `keygen` stands for all of these.
 *
 *     bench-gpu [--sizes=LOG2,LOG2,...] [--distributions=NAME,...] [--repetitions=N] [--csv=FILE]
 *               [--type=WORDS] [--stages] [--check] [--check-small] [--check-large] [--repeat=N]
 * [--few=N]
 *               [--paged=N] [--split=N] [--no-wait]
 *
 * --check-small is for the sanitizers, --check-large sorts 2^32 + 1 keys. Up to --few keys are
 * sorted without bins; from --paged keys on, bins may be left uncounted; from --split keys on, such
 * bins are split once more before level 2. Checks sort each input in every way that is possible.
 * --no-wait queues each sort at once, without such bins.
 */
#include "sort/device/device_sort.h"
#include "sort/device/pages/pages.h"
extern "C" {
#include "tests/bench/bench_gpu_call.h"
}
#include "tests/bench/bench_gpu_keys.cuh"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <cub/device/device_radix_sort.cuh>
#include <cub/version.cuh>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

/* Of keys that CUB sorts as gsort does. */
static const char *const type_of_keys = GS_BITS == 32 ? "u32" : GS_BITS == 64 ? "u64" : "u128";

static void must(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "bench-gpu: %s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}
#define MUST(call) must((call), #call)

static __global__ void count_differences(const gs_key *a, const gs_key *b, uint64_t n,
                                         unsigned long long *differences)
{
    unsigned long long mine = 0;
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < n;
         i += (uint64_t)gridDim.x * blockDim.x)
        mine += a[i] != b[i];
    if (mine > 0)
        atomicAdd(differences, mine);
}

struct bench {
    gs_key *source, *keys, *other, *reference, *spare;
    void *cub_memory;
    size_t cub_bytes;
    unsigned long long *differences;
    cudaEvent_t begin, end;
    struct gs_device_sorter sorter;
    struct gs_gpu_report *report; /* the sorter's */
    bool no_wait;
    const char *type; /* of the call */
    void *temp;       /* of calls */
    size_t temp_bytes;
};

static float median(std::vector<float> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

static float elapsed(struct bench *bench)
{
    float ms;
    MUST(cudaEventRecord(bench->end));
    MUST(cudaEventSynchronize(bench->end));
    MUST(cudaEventElapsedTime(&ms, bench->begin, bench->end));
    return ms;
}

/* Sort source by CUB; leaves the result in *sorted. */
static float run_cub(struct bench *bench, uint64_t n, gs_key **sorted)
{
    MUST(cudaMemcpy(bench->reference, bench->source, n * sizeof(gs_key), cudaMemcpyDeviceToDevice));
    cub::DoubleBuffer<gs_key> buffers(bench->reference, bench->spare);
    MUST(cudaDeviceSynchronize());
    MUST(cudaEventRecord(bench->begin));
    MUST(cub::DeviceRadixSort::SortKeys(bench->cub_memory, bench->cub_bytes, buffers, n));
    float ms = elapsed(bench);
    *sorted = buffers.Current();
    return ms;
}

#if GS_BITS == 128
/* Split keys of 16 bytes into halves. */
static __global__ void split_keys(const gs_key *keys, uint64_t n, uint64_t *upper, uint64_t *lower)
{
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < n;
         i += (uint64_t)gridDim.x * blockDim.x) {
        upper[i] = (uint64_t)(keys[i] >> 64);
        lower[i] = (uint64_t)keys[i];
    }
}

/* Sort the source's upper halves, with the lower ones as values: less than a sort of the keys, but
 * faster than CUB's. */
static float run_pairs(struct bench *bench, uint64_t n)
{
    uint64_t *upper = (uint64_t *)bench->keys;
    uint64_t *lower = (uint64_t *)bench->other;
    split_keys<<<1024, 256>>>(bench->source, n, upper, lower);
    cub::DoubleBuffer<uint64_t> keys(upper, upper + n);
    cub::DoubleBuffer<uint64_t> values(lower, lower + n);
    size_t bytes = bench->cub_bytes;
    MUST(cudaDeviceSynchronize());
    MUST(cudaEventRecord(bench->begin));
    MUST(cub::DeviceRadixSort::SortPairs(bench->cub_memory, bytes, keys, values, n));
    return elapsed(bench);
}
#endif

/* Median of a few runs of thrust::sort on the source's keys. */
static float time_thrust(struct bench *bench, uint64_t n)
{
    std::vector<float> ms;
    for (int i = 0; i < 3; i++) {
        MUST(cudaMemcpy(bench->other, bench->source, n * sizeof(gs_key), cudaMemcpyDeviceToDevice));
        MUST(cudaDeviceSynchronize());
        MUST(cudaEventRecord(bench->begin));
#if GS_BITS == 32
        thrust::sort(thrust::device, bench->other, bench->other + n);
#endif
        ms.push_back(elapsed(bench));
    }
    return median(ms);
}

/* Median of a few copies of n keys. */
static float time_copy(struct bench *bench, uint64_t n)
{
    std::vector<float> ms;
    for (int i = 0; i < 5; i++) {
        MUST(cudaDeviceSynchronize());
        MUST(cudaEventRecord(bench->begin));
        MUST(cudaMemcpyAsync(bench->other, bench->source, n * sizeof(gs_key),
                             cudaMemcpyDeviceToDevice));
        ms.push_back(elapsed(bench));
    }
    return median(ms);
}

static float run_ours(struct bench *bench, uint64_t n, struct gs_device_stats *stats)
{
    struct gs_error err = {};
    MUST(cudaMemcpy(bench->keys, bench->source, n * sizeof(gs_key), cudaMemcpyDeviceToDevice));
    MUST(cudaMemset(bench->other, 0xa5, n * sizeof(gs_key)));
    MUST(cudaDeviceSynchronize());
    MUST(cudaEventRecord(bench->begin));
    if (bench->no_wait)
        bench->sorter.work.report = NULL;
    if (gs_device_sort(&bench->sorter, bench->keys, bench->other, n, stats, &err) != GS_OK) {
        fprintf(stderr, "bench-gpu: %s\n", err.text);
        exit(2);
    }
    bench->sorter.work.report = bench->report;
    return elapsed(bench);
}

/* Sort source by the library's call, in place or not; the result is in keys. */
static float run_call(struct bench *bench, uint64_t n, bool in_place)
{
    const gs_key *in = in_place ? bench->keys : bench->source;
    const auto call = [&](void *temp, size_t *bytes) {
        struct gs_error err = {};
        if (bench_gpu_call(bench->type, in, bench->keys, n, temp, bytes, bench->no_wait, &err) !=
            GS_OK) {
            fprintf(stderr, "bench-gpu: %s\n", err.text);
            exit(2);
        }
    };
    size_t bytes = 0;
    call(NULL, &bytes);
    if (bytes > bench->temp_bytes) { /* memory that is new is slower, by 2 to 5 % of 2^28 keys */
        MUST(cudaFree(bench->temp));
        MUST(cudaMalloc(&bench->temp, bytes));
        bench->temp_bytes = bytes;
    }
    if (in_place)
        MUST(cudaMemcpy(bench->keys, bench->source, n * sizeof(gs_key), cudaMemcpyDeviceToDevice));
    MUST(cudaMemset(bench->temp, 0xa5, bytes));
    MUST(cudaDeviceSynchronize());
    MUST(cudaEventRecord(bench->begin));
    call(bench->temp, &bytes);
    return elapsed(bench);
}

static uint64_t compare(struct bench *bench, const gs_key *sorted, uint64_t n,
                        const struct gs_device_stats *stats)
{
    unsigned long long found;
    MUST(cudaMemset(bench->differences, 0, sizeof found));
    count_differences<<<1024, 256>>>(stats->in_other ? bench->other : bench->keys, sorted, n,
                                     bench->differences);
    MUST(cudaMemcpy(&found, bench->differences, sizeof found, cudaMemcpyDeviceToHost));
    return found;
}

static void open_bench(struct bench *bench, uint64_t capacity, uint32_t few_keys,
                       uint64_t paged_keys, uint64_t split_keys)
{
    struct gs_error err = {};
    gs_key **buffers[] = {&bench->source, &bench->keys, &bench->other, &bench->reference,
                          &bench->spare};
    for (gs_key **buffer : buffers)
        MUST(cudaMalloc(buffer, (capacity + 1) * sizeof(gs_key)));
    cub::DoubleBuffer<gs_key> none(NULL, NULL);
    MUST(cub::DeviceRadixSort::SortKeys(NULL, bench->cub_bytes, none, capacity));
#if GS_BITS == 128
    size_t pairs_bytes = 0;
    cub::DoubleBuffer<uint64_t> halves(NULL, NULL);
    MUST(cub::DeviceRadixSort::SortPairs(NULL, pairs_bytes, halves, halves, capacity));
    bench->cub_bytes = std::max(bench->cub_bytes, pairs_bytes);
#endif
    MUST(cudaMalloc(&bench->cub_memory, bench->cub_bytes));
    MUST(cudaMalloc(&bench->differences, sizeof *bench->differences));
    MUST(cudaEventCreate(&bench->begin));
    MUST(cudaEventCreate(&bench->end));
    enum gs_status st = gs_device_sorter_open(&bench->sorter, capacity, &err);
    bench->sorter.few_keys = few_keys;
    if (paged_keys > 0)
        bench->sorter.room.paged_keys = paged_keys;
    if (split_keys > 0)
        bench->sorter.room.split_keys = split_keys;
    if (st == GS_OK && !bench->no_wait)
        st = gs_device_sorter_add_room(&bench->sorter, &err);
    if (st != GS_OK) {
        fprintf(stderr, "bench-gpu: %s\n", err.text);
        exit(2);
    }
    bench->report = bench->sorter.work.report;
}

/* Sort the source and compare the result with `sorted`. Returns whether it is wrong. */
static bool check_once(struct bench *bench, const gs_key *sorted, uint64_t n, int distribution)
{
    struct gs_device_stats stats;
    run_ours(bench, n, &stats);
    uint64_t wrong = compare(bench, sorted, n, &stats);
    if (wrong > 0)
        printf(
            "FAIL n=%llu %s: %llu keys differ (few %u, levels %u, jobs %u + %u + %u, fills %u)\n",
            (unsigned long long)n, name_of(distribution), (unsigned long long)wrong,
            bench->sorter.few_keys, stats.levels, stats.narrow_jobs, stats.small_jobs,
            stats.medium_jobs, stats.fills);
    return wrong > 0;
}

/* Sort the given sizes and distributions in all ways, untimed. Returns 1 after a failure. */
static int check(struct bench *bench, uint64_t capacity, const std::vector<uint64_t> &sizes,
                 const std::vector<int> &distributions)
{
    uint64_t tests = 0;
    uint64_t failures = 0;
    const uint32_t few_keys = bench->sorter.few_keys;
    const uint64_t paged_keys = bench->sorter.room.paged_keys;
    const uint64_t split_keys = bench->sorter.room.split_keys;
    enum { COUNTED, PAGED, SPLIT, SPLIT_ORDERED }; /* ways to sort, if n permits them */
    for (uint64_t n : sizes)
        for (int distribution : distributions) {
            if (n > capacity)
                continue;
            gs_key *sorted = bench->source;
            MUST(make_source(bench->source, n, distribution, n + 11));
            if (n > 0)
                run_cub(bench, n, &sorted);
            for (uint32_t few : {few_keys, (uint32_t)GS_GPU_MEDIUM_KEYS})
                for (int way = COUNTED; way <= SPLIT_ORDERED; way++) {
                    if (few < few_keys && (n <= few || n > few_keys))
                        continue;
                    if (way != COUNTED && (bench->no_wait || n <= few || n < paged_keys))
                        continue;
                    if (way >= SPLIT && GS_BITS > 32)
                        continue;
                    bench->sorter.few_keys = few;
                    bench->sorter.room.paged_keys = way == COUNTED ? UINT64_MAX : paged_keys;
                    bench->sorter.room.split_keys = way >= SPLIT ? split_keys : UINT64_MAX;
                    bench->sorter.room.split_ordered = way == SPLIT_ORDERED;
                    failures += check_once(bench, sorted, n, distribution);
                    tests++;
                }
            bench->sorter.few_keys = few_keys;
            bench->sorter.room.paged_keys = paged_keys;
            bench->sorter.room.split_keys = split_keys;
            bench->sorter.room.split_ordered = false;
        }
    printf("check: %llu sorts, %llu failures\n", (unsigned long long)tests,
           (unsigned long long)failures);
    return failures > 0;
}

/* Sort n keys `times` times with new seeds, to find races, which fail only now and then. Returns 1
 * after a failure. */
static int repeat(struct bench *bench, uint64_t n, unsigned times)
{
    unsigned failures = 0;
    struct gs_device_stats stats;
    for (unsigned i = 0; i < times; i++) {
        gs_key *sorted;
        MUST(make_source(bench->source, n, (int)i % KINDS, 1000 + i));
        run_cub(bench, n, &sorted);
        run_ours(bench, n, &stats);
        failures += compare(bench, sorted, n, &stats) > 0;
    }
    printf("repeat: %u sorts of %llu keys, %u failures\n", times, (unsigned long long)n, failures);
    return failures > 0;
}

/* Print a line with the times of all stages and one with their bandwidths. */
static void print_stages(uint64_t n, const struct gs_device_stats &stats,
                         const std::vector<float> (&stage_ms)[GS_DEVICE_STAGES])
{
    static const char *const STAGES[] = {"select",  "samples", "count",    "prefix",
                                         "scatter", "count2",  "scatter2", "sort"};
    static const unsigned MOVES[] = {0, 0, 1, 0, 2, 1, 2, 2}; /* of each key */
    printf("      %u levels %u+%u+%u jobs %u fills\n      ms:  ", stats.levels, stats.narrow_jobs,
           stats.small_jobs, stats.medium_jobs, stats.fills);
    for (int s = 0; s < GS_DEVICE_STAGES; s++)
        printf(" %s %.4f", STAGES[s], median(stage_ms[s]));
    printf("\n      GB/s:");
    for (int s = 0; s < GS_DEVICE_STAGES; s++) {
        const uint64_t bytes =
            (s == GS_DEVICE_SCATTER_DIGITS && stats.split ? 2 : 1) * n * MOVES[s] * sizeof(gs_key);
        if (bytes > 0 && median(stage_ms[s]) > 0)
            printf(" %s %.0f", STAGES[s], (double)bytes / median(stage_ms[s]) / 1e6);
    }
    printf("\n");
}

static int measure(struct bench *bench, unsigned log2, int distribution, unsigned repetitions,
                   bool stages, FILE *csv)
{
    uint64_t n = 1ULL << log2;
    std::vector<float> cub_ms, our_ms, in_place_ms, stage_ms[GS_DEVICE_STAGES];
    struct gs_device_stats stats = {};
    uint64_t wrong = 0;
    bench->sorter.timed = stages;
    for (unsigned i = 0; i < repetitions + 2; i++) { /* two warm-ups */
        gs_key *sorted;
        MUST(make_source(bench->source, n, distribution, log2 * 1000 + i));
        float cub = run_cub(bench, n, &sorted);
#if GS_BITS == 128
        cub = run_pairs(bench, n);
#endif
        for (bool in_place : {false, true}) {
            if (stages && !in_place)
                continue;
            const float ours = stages ? run_ours(bench, n, &stats) : run_call(bench, n, in_place);
            if (std::strcmp(bench->type, type_of_keys) == 0 || stages)
                wrong += compare(bench, sorted, n, &stats);
            if (i >= 2)
                (in_place ? in_place_ms : our_ms).push_back(ours);
        }
        if (i < 2)
            continue;
        cub_ms.push_back(cub);
        for (int s = 0; s < GS_DEVICE_STAGES; s++)
            stage_ms[s].push_back(stats.ms[s]);
    }
    float cub = median(cub_ms);
    float in_place = median(in_place_ms);
    float ours = stages ? in_place : median(our_ms);
    float thrust = GS_BITS == 32 ? time_thrust(bench, n) : 0;
    float copy = time_copy(bench, n);
    printf("2^%-2u %-12s %9.4f ms %7.2f Gkeys/s | CUB %9.4f ms %7.2f | %5.2fx | in place %9.4f ms "
           "%5.2fx | thrust %9.4f ms | %2.0f %% of the limit%s\n",
           log2, name_of(distribution), ours, n / ours / 1e6, cub, n / cub / 1e6, cub / ours,
           in_place, cub / in_place, thrust, 100 * copy / ours, wrong > 0 ? " WRONG" : "");
    if (stages)
        print_stages(n, stats, stage_ms);
    if (csv != NULL)
        fprintf(csv, "%llu,%s,%.5f,%.5f,%.3f,%s,%.5f,%.5f,%.5f\n", (unsigned long long)n,
                name_of(distribution), ours, cub, cub / ours, wrong > 0 ? "wrong" : "ok", thrust,
                copy, in_place);
    fflush(stdout);
    return wrong > 0;
}

int main(int argc, char **argv)
{
    std::vector<unsigned> sizes = {20, 24, 28};
    std::vector<int> distributions;
    unsigned repetitions = 11;
    unsigned times = 0;
    bool stages = false;
    uint32_t few_keys = GS_GPU_FEW_KEYS;
    uint64_t paged_keys = 0;
    uint64_t split_keys = 0;
    std::vector<uint64_t> checked;
    FILE *csv = NULL;
    struct bench bench = {};
    bench.type = type_of_keys;
    for (int i = 1; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        std::string name(argv[i], value != NULL ? (size_t)(value - argv[i]) : strlen(argv[i]));
        value = value != NULL ? value + 1 : "";
        if (name == "--sizes") {
            sizes.clear();
            for (const std::string &word : split(value))
                sizes.push_back((unsigned)atoi(word.c_str()));
        } else if (name == "--distributions") {
            for (const std::string &word : split(value))
                if (!find_distributions(word, distributions)) {
                    fprintf(stderr, "bench-gpu: %s is no distribution\n", word.c_str());
                    return 2;
                }
        } else if (name == "--repetitions") {
            repetitions = (unsigned)atoi(value);
        } else if (name == "--repeat") {
            times = (unsigned)atoi(value);
        } else if (name == "--csv") {
            csv = fopen(value, "w");
        } else if (name == "--few") {
            few_keys = (uint32_t)strtoul(value, NULL, 0);
        } else if (name == "--paged") {
            paged_keys = strtoull(value, NULL, 0);
        } else if (name == "--split") {
            split_keys = strtoull(value, NULL, 0);
        } else if (name == "--type") {
            bench.type = value;
        } else if (name == "--no-wait") {
            bench.no_wait = true;
        } else if (name == "--stages") {
            stages = true;
        } else if (name == "--check") {
            checked = boundary_sizes();
        } else if (name == "--check-small") {
            checked = {1, 1000, 5000, 20000, 50001};
        } else if (name == "--check-large") {
            checked = {(1ULL << 32) + 1};
            sizes = {33};
            distributions = {0, 2, 6};
        } else {
            fprintf(stderr, "bench-gpu: unknown option %s\n", argv[i]);
            return 2;
        }
    }
    if (distributions.empty())
        for (int d = 0; d < KINDS; d++)
            distributions.push_back(d);

    unsigned largest = *std::max_element(sizes.begin(), sizes.end());
    uint64_t capacity = 1ULL << largest;
    if (!checked.empty()) /* one key more than the largest size, unless all checks are smaller */
        capacity = std::min(capacity + 1, *std::max_element(checked.begin(), checked.end()));
    if (times > 0)
        capacity = std::max<uint64_t>(capacity, 1U << 20);
    if (!checked.empty() && paged_keys == 0)
        paged_keys = 1;
    if (!checked.empty() && split_keys == 0)
        split_keys = 1;
    open_bench(&bench, capacity, few_keys, paged_keys, split_keys);
    struct cudaDeviceProp device;
    MUST(cudaGetDeviceProperties(&device, 0));
    printf("%s, %d multiprocessors, CUB %d.%d.%d\n", device.name, device.multiProcessorCount,
           CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
    int status = 0;
    if (!checked.empty())
        status |= check(&bench, capacity, checked, distributions);
    if (times > 0)
        status |= repeat(&bench, 1U << 20, times);
    if (csv != NULL)
        fprintf(csv,
                "keys,distribution,gsort_ms,cub_ms,ratio,checked,thrust_ms,copy_ms,in_place_ms\n");
    if (checked.empty() && times == 0)
        for (unsigned size : sizes)
            for (int distribution : distributions)
                status |= measure(&bench, size, distribution, repetitions, stages, csv);
    if (csv != NULL && fclose(csv) != 0)
        return 2;
    gs_device_sorter_close(&bench.sorter);
    return status;
}
