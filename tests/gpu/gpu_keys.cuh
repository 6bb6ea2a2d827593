/* gpu_keys.cuh -- keys of every distribution, made on the device or keygen's, and compared there.
 * SPDX-License-Identifier: MIT
 *
 * A distribution is an index: first come those of this file, then those of data/dist.h, whose keys
 * the CPU makes.
 */
#ifndef GS_GPU_KEYS_CUH
#define GS_GPU_KEYS_CUH

#include "common/formats/keys.h"
#include "common/random.h"
#include "sort/device/device_sizes.h"
#include "sort/keys/params.h"
#include "sort/keys/sample_position.h"

extern "C" {
#include "data/dist.h"
}
#include "tests/gpu/gpu_test.h"

#include <string>
#include <vector>

static const char *const DISTRIBUTIONS[] = {
    "uniform",      "gaussian", "zipf",        "log-uniform", "sorted",        "reversed",
    "nearly",       "equal",    "few16",       "narrow",      "high-bits",     "low-zero",
    "allbutone",    "two",      "clusters",    "periodic",    "two-clusters",  "streams",
    "bit-reversed", "k-mers",   "low-entropy", "exponential", "grid",          "max-keys",
#if GS_BITS > 32
    "unit-floats",  "floats",   "normal",      "16-firsts",   "wide-clusters", "100-copies",
    "crowds",       "small",    "1000-firsts", "steps",       "hidden"
#endif
};
static const int KINDS = sizeof DISTRIBUTIONS / sizeof *DISTRIBUTIONS;
static const int NARROW_KINDS = 24; /* those made of 32 bits */

/* A key of 16 bases, from base i on, of a sequence in which two of the four bases are frequent. */
static __device__ uint32_t make_mer(uint64_t i, uint64_t seed)
{
    uint32_t key = 0;
    for (uint64_t base = i; base < i + 16; base++) {
        const uint32_t tenth = (uint32_t)(gs_random(seed, base) >> 32) % 10;
        key = key << 2 | (tenth < 4 ? 0 : tenth < 6 ? tenth - 3 : 3);
    }
    return key;
}

/* Key i of n keys of a distribution (an index of DISTRIBUTIONS). */
static __device__ uint32_t make_key(int distribution, uint64_t i, uint64_t n, uint64_t seed)
{
    uint64_t random = gs_random(seed, i);
    uint32_t low = (uint32_t)random;
    float unit = (float)(low >> 8) * 0x1p-24F;
    switch (distribution) {
    case 1:
        return (uint32_t)(((random & 0xffff) + (random >> 16 & 0xffff) + (random >> 32 & 0xffff) +
                           (random >> 48))
                          << 14) +
               (uint32_t)(gs_random(seed + 1, i) & 0x3fff);
    case 2: /* a million values, frequencies proportional to 1/k */
        return (uint32_t)gs_random(7, (uint64_t)exp2f(20 * unit));
    case 3: /* equally many keys in each octave */
        return (uint32_t)exp2f(32 * unit) + (uint32_t)(random >> 32 & 0xff);
    case 4:
        return (uint32_t)((double)i / (double)n * 4294967296.0);
    case 5:
        return ~(uint32_t)((double)i / (double)n * 4294967296.0);
    case 6: /* one key in a hundred is out of place */
        return random >> 32 < 42949672U ? low : (uint32_t)((double)i / (double)n * 4294967296.0);
    case 7:
        return 0x12345678;
    case 8:
        return (uint32_t)gs_random(3, random & 15);
    case 9:
        return low % 1000;
    case 10:
        return low & 0xfff00000;
    case 11:
        return low & 0xfffff000;
    case 12:
        return i == n / 3 ? 5 : 0x80000000;
    case 13:
        return low & 1 ? 0xffffffff : 0;
    case 14: /* 4096 clusters of 16 values each */
        return ((uint32_t)gs_random(5, random >> 32 & 4095) & ~15U) | (low & 15);
    case 15:
        return (uint32_t)(i & 0xffff) << 16;
    case 16: /* a thousand values at each end of the range */
        return low & 1 ? 0xffffffff - (low >> 1) % 1000 : (low >> 1) % 1000;
    case 17: /* 32 sorted streams, interleaved */
        return (uint32_t)(i & 31) << 27 |
               (uint32_t)((double)(i & ~31ULL) / (double)n * 4294967296.0) >> 5;
    case 18: /* a counter with its bits reversed */
        return __brev((uint32_t)i);
    case 19:
        return make_mer(i, seed);
    case 20: /* each bit is set in one key in eight */
        return low & (uint32_t)(random >> 32) & (uint32_t)gs_random(seed + 1, i);
    case 21: /* mean 2^27 */
        return (uint32_t)fminf(-logf(unit + 0x1p-25F) * 0x1p27F, 4294967040.0F) + (low & 0xff);
    case 22: /* 65536 clusters of consecutive keys */
        return (uint32_t)(i & 0xffff) << 16 | (uint32_t)(i >> 16 & 0xff);
    case 23: /* half of the keys are the largest */
        return (random >> 32 & 1) != 0 ? 0xffffffff : low;
    default:
        return low;
    }
}

/* A key of any width that is a function of 32 bits, and in their order: values repeat as theirs. */
static __host__ __device__ gs_key widen(uint32_t key)
{
#if GS_BITS == 32
    return key;
#elif GS_BITS == 64
    return (gs_key)key << 32 | (uint32_t)gs_random(19, key);
#else
    return (gs_key)key << 96 | (gs_key)gs_random(19, key) << 32 | (uint32_t)gs_random(23, key);
#endif
}

#if GS_BITS > 32
/* 64 random bits in the lower half, or all of it. */
static __device__ gs_key lower_half(uint64_t i, uint64_t seed)
{
    return GS_BITS == 64 ? gs_random(seed, i) >> 32 : gs_random(seed + 2, i);
}

/* The order-preserving bits of a double, in the upper 64. */
static __device__ gs_key of_double(double x, uint64_t i, uint64_t seed)
{
    uint64_t bits = (uint64_t)__double_as_longlong(x);
    bits ^= (bits >> 63) != 0 ? ~0ULL : 1ULL << 63;
    return GS_BITS == 64 ? (gs_key)bits : (gs_key)bits << (GS_BITS - 64) | gs_random(seed + 3, i);
}

/* Does gsort's sample of that many have key i? */
static __device__ bool is_sampled(uint64_t i, uint64_t n, uint64_t samples)
{
    const uint64_t near = samples <= n ? i * samples / n : samples;
    for (uint64_t j = near > 0 ? near - 1 : 0; j < samples && j <= near + 1; j++)
        if (gs_sample_position(j, samples, n, GS_SAMPLE_SEED) == i)
            return true;
    return false;
}

static __device__ gs_key make_wide(int kind, uint64_t i, uint64_t n, uint64_t samples,
                                   uint64_t seed)
{
    const uint64_t random = gs_random(seed, i);
    const double unit = (double)(random >> 11) * 0x1p-53;
    const int half = GS_BITS / 2;
    switch (kind) {
    case 0:
        return of_double(unit, i, seed);
    case 1: /* all exponents, both signs, infinities and NaNs */
        return of_double(__longlong_as_double((long long)random), i, seed);
    case 2:
        return of_double(sqrt(-2 * log(unit + 0x1p-60)) *
                             cospi(2 * (double)(gs_random(seed + 1, i) >> 11) * 0x1p-53),
                         i, seed);
    case 3: /* pairs with 16 distinct first halves */
        return (gs_key)(gs_random(3, random & 15) >> 32) << half | lower_half(i, seed + 4);
    case 4: /* 4096 clusters of a million neighbours */
        return widen((uint32_t)gs_random(5, random >> 32 & 4095)) + (random & 0xfffff);
    case 5: /* each value has about 100 copies */
        return widen((uint32_t)gs_random(9, random % (n / 100 + 1)));
    case 6: /* 300 neighbours crowded at each of n / 4096 places */
        return widen((uint32_t)gs_random(9, random % (n / 4096 + 1))) + (random >> 32) % 300;
    case 7:
        return random >> 44;
    case 8:
        return (gs_key)(random % 1000) << half | lower_half(i, seed + 4);
    case 10: /* almost all keys in a 256th of the range, of which the sample has none */
        return is_sampled(i, n, samples) ? (gs_key)random << (GS_BITS - 64)
                                         : (gs_key)random << (GS_BITS - 64) >> 8;
    default: /* nested: half of the keys in a range 2^-8 as wide, and so on */
        return (gs_key)random >> 8 * (__clzll((long long)gs_random(seed + 5, i)) % (GS_BITS / 8));
    }
}
#endif

static __global__ void make_keys(gs_key *keys, uint64_t n, int distribution, uint64_t samples,
                                 uint64_t seed)
{
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < n;
         i += (uint64_t)gridDim.x * blockDim.x) {
#if GS_BITS > 32
        if (distribution == 0) {
            keys[i] = (gs_key)gs_random(seed, i) << (GS_BITS - 64) |
                      (GS_BITS == 64 ? 0 : gs_random(seed + 1, i));
            continue;
        }
        if (distribution >= NARROW_KINDS) {
            keys[i] = make_wide(distribution - NARROW_KINDS, i, n, samples, seed);
            continue;
        }
#endif
        keys[i] = widen(make_key(distribution, i, n, seed));
    }
}

static const char *name_of(int distribution)
{
    return distribution < KINDS ? DISTRIBUTIONS[distribution] : gs_dists[distribution - KINDS].name;
}

/* Fill device memory with n keys of a distribution (an index of DISTRIBUTIONS or, behind these, of
 * keygen's). */
static void make_source(gs_key *keys, uint64_t n, int distribution, uint64_t seed)
{
    if (distribution < KINDS) {
        const uint32_t samples = gs_device_samples(n, gs_device_sort_bins(n));
        make_keys<<<1024, 256>>>(keys, n, distribution, samples, seed);
        return; /* the next call reports an error of the kernel */
    }
    std::vector<gs_key> drawn(n);
    const struct gs_dist *dist = &gs_dists[distribution - KINDS];
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++)
        drawn[i] = widen((uint32_t)dist->draw(seed, n, i));
    must(cudaMemcpy(keys, drawn.data(), n * sizeof *keys, cudaMemcpyHostToDevice));
}

static __global__ void count_differing(const gs_key *a, const gs_key *b, uint64_t n,
                                       unsigned long long *differences)
{
    unsigned long long mine = 0;
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < n;
         i += (uint64_t)gridDim.x * blockDim.x)
        mine += a[i] != b[i];
    if (mine > 0)
        atomicAdd(differences, mine);
}

/* How many of two arrays' keys differ? */
static uint64_t count_differences(const gs_key *a, const gs_key *b, uint64_t n)
{
    static unsigned long long *differences;
    unsigned long long found;
    if (differences == NULL)
        must(cudaMalloc(&differences, sizeof *differences));
    must(cudaMemset(differences, 0, sizeof *differences));
    count_differing<<<1024, 256>>>(a, b, n, differences);
    must(cudaMemcpy(&found, differences, sizeof found, cudaMemcpyDeviceToHost));
    return found;
}

/* The words of a list of names or sizes. */
static std::vector<std::string> split(const char *text)
{
    std::vector<std::string> words(1);
    for (; *text != '\0'; text++)
        if (*text == ',')
            words.emplace_back();
        else
            words.back() += *text;
    return words;
}

/* Add the distribution of that name, or all of keygen's; false if there is none. */
static bool find_distributions(const std::string &word, std::vector<int> &distributions)
{
    for (int d = 0; d < KINDS; d++)
        if (word == DISTRIBUTIONS[d]) {
            distributions.push_back(d);
            return true;
        }
    const struct gs_dist *dist = gs_dist_find(word.c_str());
    if (dist != NULL)
        distributions.push_back(KINDS + (int)(dist - gs_dists));
    for (int d = 0; word == "keygen" && gs_dists[d].name != NULL; d++)
        distributions.push_back(KINDS + d);
    return dist != NULL || word == "keygen";
}

#endif
