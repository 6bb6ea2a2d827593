/* bench_gpu.cu -- gsort's sort of keys in device memory against CUB's DeviceRadixSort.
 * SPDX-License-Identifier: MIT
 *
 * Each repetition draws fresh keys and sorts them with CUB (DoubleBuffer) and with the library's
 * call, to another array and in place, its temporary memory poisoned before. Events time each sort
 * with all that it does, and the outputs are compared in full; --type=WORDS sorts the same bytes as
 * another type, not compared. Figures are medians. thrust::sort is timed for the record, and
 * so is a copy of the keys, which bounds any sort: "of the limit" is gsort's speed as a fraction of
 * the copy's. Exit status 1 if any output differs.
 *
 * Distributions are those of gpu_keys.cuh, made on the device. Other names are those of keygen,
 * whose keys the CPU makes; `keygen` stands for all of these. --no-wait queues each sort at once.
 * What happens inside a sort, Nsight Systems and Nsight Compute tell (nsys, ncu).
 *
 *     bench-gpu [--sizes=LOG2,LOG2,...] [--distributions=NAME,...] [--repetitions=N] [--csv=FILE]
 *               [--type=WORDS] [--no-wait]
 */
extern "C" {
#include "tests/bench/bench_gpu_call.h"
}
#include "tests/bench/cub_sorts.h"
#include "tests/gpu/gpu_keys.cuh"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

/* Of keys that CUB sorts as gsort does. */
static const char *const type_of_keys = GS_BITS == 32 ? "u32" : GS_BITS == 64 ? "u64" : "u128";

struct bench {
    gs_key *source, *keys, *reference, *spare;
    cudaEvent_t begin, end;
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
    must(cudaEventRecord(bench->end));
    must(cudaEventSynchronize(bench->end));
    must(cudaEventElapsedTime(&ms, bench->begin, bench->end));
    return ms;
}

/* Sort source by CUB; leaves the result in *sorted. */
static float run_cub(struct bench *bench, uint64_t n, gs_key **sorted)
{
    must(cudaMemcpy(bench->reference, bench->source, n * sizeof(gs_key), cudaMemcpyDeviceToDevice));
    must(cudaDeviceSynchronize());
    must(cudaEventRecord(bench->begin));
    must(cub_sort(bench->reference, bench->spare, n, sorted));
    return elapsed(bench);
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
    uint64_t *lower = (uint64_t *)bench->spare;
    split_keys<<<1024, 256>>>(bench->source, n, upper, lower);
    must(cudaDeviceSynchronize());
    must(cudaEventRecord(bench->begin));
    must(cub_sort_pairs(upper, lower, n));
    return elapsed(bench);
}
#endif

/* Median of a few runs of thrust::sort on the source's keys; 0 for wider ones. */
static float time_thrust(struct bench *bench, uint64_t n)
{
    std::vector<float> ms;
    for (int i = 0; i < 3 && GS_BITS == 32; i++) {
        must(cudaMemcpy(bench->spare, bench->source, n * sizeof(gs_key), cudaMemcpyDeviceToDevice));
        must(cudaDeviceSynchronize());
        must(cudaEventRecord(bench->begin));
        thrust_sort(bench->spare, n);
        ms.push_back(elapsed(bench));
    }
    return ms.empty() ? 0 : median(ms);
}

/* Median of a few copies of n keys. */
static float time_copy(struct bench *bench, uint64_t n)
{
    std::vector<float> ms;
    for (int i = 0; i < 5; i++) {
        must(cudaDeviceSynchronize());
        must(cudaEventRecord(bench->begin));
        must(cudaMemcpyAsync(bench->spare, bench->source, n * sizeof(gs_key),
                             cudaMemcpyDeviceToDevice));
        ms.push_back(elapsed(bench));
    }
    return median(ms);
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
        must(cudaFree(bench->temp));
        must(cudaMalloc(&bench->temp, bytes));
        bench->temp_bytes = bytes;
    }
    must(cudaMemset(bench->keys, 0xa5, n * sizeof(gs_key)));
    if (in_place)
        must(cudaMemcpy(bench->keys, bench->source, n * sizeof(gs_key), cudaMemcpyDeviceToDevice));
    must(cudaMemset(bench->temp, 0xa5, bytes));
    must(cudaDeviceSynchronize());
    must(cudaEventRecord(bench->begin));
    call(bench->temp, &bytes);
    return elapsed(bench);
}

static void open_bench(struct bench *bench, uint64_t capacity)
{
    gs_key **buffers[] = {&bench->source, &bench->keys, &bench->reference, &bench->spare};
    for (gs_key **buffer : buffers)
        must(cudaMalloc(buffer, capacity * sizeof(gs_key)));
    must(cub_open(capacity));
    must(cudaEventCreate(&bench->begin));
    must(cudaEventCreate(&bench->end));
}

static int measure(struct bench *bench, unsigned log2, int distribution, unsigned repetitions,
                   FILE *csv)
{
    const uint64_t n = 1ULL << log2;
    const bool same = std::strcmp(bench->type, type_of_keys) == 0;
    std::vector<float> cub_ms, our_ms, in_place_ms;
    uint64_t wrong = 0;
    for (unsigned i = 0; i < repetitions + 2; i++) { /* two warm-ups */
        gs_key *sorted;
        make_source(bench->source, n, distribution, log2 * 1000 + i);
#if GS_BITS == 128
        const float cub = run_pairs(bench, n);
        run_cub(bench, n, &sorted);
#else
        const float cub = run_cub(bench, n, &sorted);
#endif
        for (bool in_place : {false, true}) {
            const float ours = run_call(bench, n, in_place);
            if (same)
                wrong += count_differences(bench->keys, sorted, n);
            if (i >= 2)
                (in_place ? in_place_ms : our_ms).push_back(ours);
        }
        if (i >= 2)
            cub_ms.push_back(cub);
    }
    float cub = median(cub_ms);
    float in_place = median(in_place_ms);
    float ours = median(our_ms);
    float thrust = time_thrust(bench, n);
    float copy = time_copy(bench, n);
    printf("2^%-2u %-12s %9.4f ms %7.2f Gkeys/s | CUB %9.4f ms %7.2f | %5.2fx | in place %9.4f ms "
           "%5.2fx | thrust %9.4f ms | %2.0f %% of the limit%s\n",
           log2, name_of(distribution), ours, n / ours / 1e6, cub, n / cub / 1e6, cub / ours,
           in_place, cub / in_place, thrust, 100 * copy / ours, wrong > 0 ? " WRONG" : "");
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
        } else if (name == "--csv") {
            csv = fopen(value, "w");
        } else if (name == "--type") {
            bench.type = value;
        } else if (name == "--no-wait") {
            bench.no_wait = true;
        } else {
            fprintf(stderr, "bench-gpu: unknown option %s\n", argv[i]);
            return 2;
        }
    }
    if (distributions.empty())
        for (int d = 0; d < KINDS; d++)
            distributions.push_back(d);

    open_bench(&bench, 1ULL << *std::max_element(sizes.begin(), sizes.end()));
    struct cudaDeviceProp device;
    must(cudaGetDeviceProperties(&device, 0));
    printf("%s, %d multiprocessors, CUB %s\n", device.name, device.multiProcessorCount,
           cub_version);
    int status = 0;
    if (csv != NULL)
        fprintf(csv,
                "keys,distribution,gsort_ms,cub_ms,ratio,checked,thrust_ms,copy_ms,in_place_ms\n");
    for (unsigned size : sizes)
        for (int distribution : distributions)
            status |= measure(&bench, size, distribution, repetitions, csv);
    return csv != NULL && fclose(csv) != 0 ? 2 : status;
}
