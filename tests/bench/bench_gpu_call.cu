/* bench_gpu_call.cu -- gsort_device_sort beside CUB's DeviceRadixSort::SortKeys.
 * SPDX-License-Identifier: MIT
 *
 * Both sort the same fresh uniform keys, from one array to another and, with gsort, in place; all
 * of the output is compared. Milliseconds by events, medians of `repetitions`; the call is timed
 * with all that it does, on a warm process.
 *
 *     bench-gpu-call [LOG2...]
 */
#include "common/random.h"
#include "sort/gsort.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cub/device/device_radix_sort.cuh>

static void must(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "bench-gpu-call: %s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}
#define MUST(call) must((call), #call)

static __global__ void make_words(uint32_t *words, uint64_t n, uint64_t seed)
{
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < n;
         i += (uint64_t)gridDim.x * blockDim.x)
        words[i] = (uint32_t)(gs_random(seed, i) >> 32);
}

static __global__ void count_differences(const uint32_t *a, const uint32_t *b, uint64_t n,
                                         unsigned long long *differences)
{
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < n;
         i += (uint64_t)gridDim.x * blockDim.x)
        if (a[i] != b[i])
            atomicAdd(differences, 1);
}

static cudaEvent_t begin, end;

/* Milliseconds of what `work` queues. */
template <typename WORK> static float time_of(WORK work)
{
    float ms;
    MUST(cudaDeviceSynchronize());
    MUST(cudaEventRecord(begin));
    work();
    MUST(cudaEventRecord(end));
    MUST(cudaEventSynchronize(end));
    MUST(cudaEventElapsedTime(&ms, begin, end));
    return ms;
}

static float median(std::vector<float> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

template <typename KEY> static void measure(const char *type, uint64_t n)
{
    const uint64_t words = n * sizeof(KEY) / 4;
    const bool same = *type != 'f' && strstr(type, "be") == NULL; /* CUB knows neither's order */
    const unsigned repetitions = n > (1 << 26) ? 7 : 21;
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse(type, &error);
    KEY *in, *ours, *theirs;
    void *temp = NULL, *cub_temp;
    size_t bytes = 0, cub_bytes = 0;
    unsigned long long *differences, found = 0;
    MUST(cudaMalloc(&in, n * sizeof(KEY)));
    MUST(cudaMalloc(&ours, n * sizeof(KEY)));
    MUST(cudaMalloc(&theirs, n * sizeof(KEY)));
    MUST(cudaMalloc(&differences, sizeof *differences));
    MUST(cudaMemset(differences, 0, sizeof *differences));
    MUST(cub::DeviceRadixSort::SortKeys(NULL, cub_bytes, in, theirs, n));
    MUST(cudaMalloc(&cub_temp, cub_bytes));
    const auto sort = [&](KEY *from) {
        if (gsort_device_sort(temp, &bytes, format, from, ours, n, NULL, 0, &error) != GSORT_OK) {
            fprintf(stderr, "bench-gpu-call: %s\n", error.line);
            exit(2);
        }
    };
    sort(in);
    MUST(cudaMalloc(&temp, bytes));
    MUST(cudaMemset(temp, 0xa5, bytes));
    std::vector<float> cub_ms, copied_ms, in_place_ms;
    for (unsigned i = 0; i < repetitions + 2; i++) {
        make_words<<<1024, 256>>>((uint32_t *)in, words, n + i);
        const float cub = time_of(
            [&]() { MUST(cub::DeviceRadixSort::SortKeys(cub_temp, cub_bytes, in, theirs, n)); });
        const float copied = time_of([&]() { sort(in); });
        if (same)
            count_differences<<<1024, 256>>>((uint32_t *)ours, (uint32_t *)theirs, words,
                                             differences);
        MUST(cudaMemcpy(ours, in, n * sizeof(KEY), cudaMemcpyDeviceToDevice));
        const float in_place = time_of([&]() { sort(ours); });
        if (same)
            count_differences<<<1024, 256>>>((uint32_t *)ours, (uint32_t *)theirs, words,
                                             differences);
        if (i < 2)
            continue;
        cub_ms.push_back(cub);
        copied_ms.push_back(copied);
        in_place_ms.push_back(in_place);
    }
    MUST(cudaMemcpy(&found, differences, sizeof found, cudaMemcpyDeviceToHost));
    const float cub = median(cub_ms), copied = median(copied_ms), in_place = median(in_place_ms);
    printf("%-5s %10llu  CUB %9.4f ms  to another %9.4f ms %5.2fx  in place %9.4f ms %5.2fx  temp "
           "%.3f of the array%s\n",
           type, (unsigned long long)n, cub, copied, cub / copied, in_place, cub / in_place,
           (double)bytes / (double)(n * sizeof(KEY)), found > 0 ? "  WRONG" : "");
    fflush(stdout);
    gsort_format_free(format);
    for (void *memory :
         {(void *)in, (void *)ours, (void *)theirs, temp, cub_temp, (void *)differences})
        MUST(cudaFree(memory));
    if (found > 0)
        exit(1);
}

int main(int argc, char **argv)
{
    std::vector<unsigned> sizes;
    for (int i = 1; i < argc; i++)
        sizes.push_back((unsigned)atoi(argv[i]));
    if (sizes.empty())
        sizes = {16, 20, 24, 28};
    MUST(cudaEventCreate(&begin));
    MUST(cudaEventCreate(&end));
    for (unsigned log2 : sizes) {
        measure<uint32_t>("u32", 1ULL << log2);
        measure<float>("f32", 1ULL << log2);
        measure<uint64_t>("u64", 1ULL << log2);
        measure<int64_t>("i64", 1ULL << log2);
        measure<uint64_t>("u64be", 1ULL << log2);
        measure<double>("f64", 1ULL << log2);
        measure<__uint128_t>("u128", 1ULL << log2);
    }
    return 0;
}
