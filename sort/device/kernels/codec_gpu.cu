/* codec_gpu.cu -- records in device memory to elements and back (GPU twin of codec.c).
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/kernels/gpu_codec.h"
#include "sort/device/kernels/gpu_launch.cuh"

enum {
    CODEC_THREADS = 256,
    CODEC_ITEMS = 16 / GS_KEY_BYTES, /* elements of a thread: loads of 16 bytes are under way */
    CODEC_TILE = CODEC_THREADS * CODEC_ITEMS
};

/* An element as its words; or a record, in its first bytes. */
struct words {
    uint32_t word[GS_GPU_WORDS];
};

static __device__ __forceinline__ struct words words_of(gs_key key)
{
    struct words x;
#pragma unroll
    for (int i = 0; i < GS_GPU_WORDS; i++)
        x.word[i] = (uint32_t)(key >> 32 * i);
    return x;
}

static __device__ __forceinline__ gs_key key_of(const struct words &x)
{
    gs_key key = 0;
#pragma unroll
    for (int i = 0; i < GS_GPU_WORDS; i++)
        key |= (gs_key)x.word[i] << 32 * i;
    return key;
}

static __device__ __forceinline__ struct words read_record(const void *records, uint64_t i,
                                                           uint32_t bytes)
{
    if (bytes == GS_KEY_BYTES)
        return words_of(((const gs_key *)records)[i]);
    const uint8_t *record = (const uint8_t *)records + i * bytes;
    struct words x = {};
#pragma unroll
    for (uint32_t b = 0; b < GS_KEY_BYTES; b++)
        if (b < bytes)
            x.word[b / 4] |= (uint32_t)record[b] << 8 * (b % 4);
    return x;
}

static __device__ __forceinline__ void write_record(void *records, uint64_t i, uint32_t bytes,
                                                    const struct words &x)
{
    if (bytes == GS_KEY_BYTES) {
        ((gs_key *)records)[i] = key_of(x);
        return;
    }
    uint8_t *record = (uint8_t *)records + i * bytes;
#pragma unroll
    for (uint32_t b = 0; b < GS_KEY_BYTES; b++)
        if (b < bytes)
            record[b] = (uint8_t)(x.word[b / 4] >> 8 * (b % 4));
}

static __device__ __forceinline__ struct words pick(const struct gs_gpu_picks &picks,
                                                    const struct words &x)
{
    struct words picked;
    const int second = GS_GPU_WORDS > 1 ? 1 : 0;
#pragma unroll
    for (int i = 0; i < GS_GPU_WORDS; i++) {
        picked.word[i] =
            __byte_perm(x.word[0], x.word[second], picks.first[i]) & picks.first_mask[i];
        if (GS_GPU_WORDS == 4)
            picked.word[i] |=
                __byte_perm(x.word[GS_GPU_WORDS - 2], x.word[GS_GPU_WORDS - 1], picks.last[i]) &
                picks.last_mask[i];
    }
    return picked;
}

/* A float of type T to its number (FORTH), or back. */
template <bool FORTH, typename T>
static __device__ __forceinline__ T fold_one(T value, T lane, T sign, T below)
{
    if (FORTH)
        return (T)((T)(value ^ ((value & sign) != 0 ? lane : sign)) - below);
    value = (T)(value + below);
    return (T)(value ^ ((value & sign) != 0 ? sign : lane));
}

static __device__ __forceinline__ uint64_t pair(const uint32_t *words, int i)
{
    return (uint64_t)words[i + 1] << 32 | words[i];
}

/* All floats of an element. */
template <bool FORTH>
static __device__ __forceinline__ void fold(const struct gs_gpu_codec &codec, struct words *x)
{
    const struct gs_gpu_floats &f2 = codec.floats[0];
    const struct gs_gpu_floats &f4 = codec.floats[1];
    const struct gs_gpu_floats &f8 = codec.floats[2];
    if (f2.there) {
#pragma unroll
        for (int i = 0; i < GS_GPU_WORDS; i++) {
            const uint16_t low =
                fold_one<FORTH, uint16_t>((uint16_t)x->word[i], (uint16_t)f2.lanes[i],
                                          (uint16_t)f2.signs[i], (uint16_t)f2.below[i]);
            const uint16_t high = fold_one<FORTH, uint16_t>(
                (uint16_t)(x->word[i] >> 16), (uint16_t)(f2.lanes[i] >> 16),
                (uint16_t)(f2.signs[i] >> 16), (uint16_t)(f2.below[i] >> 16));
            x->word[i] = (uint32_t)high << 16 | low;
        }
    }
    if (f4.there) {
#pragma unroll
        for (int i = 0; i < GS_GPU_WORDS; i++)
            x->word[i] =
                fold_one<FORTH, uint32_t>(x->word[i], f4.lanes[i], f4.signs[i], f4.below[i]);
    }
    if (f8.there) {
#pragma unroll
        for (int i = 0; i + 1 < GS_GPU_WORDS; i += 2) {
            const uint64_t value = fold_one<FORTH, uint64_t>(pair(x->word, i), pair(f8.lanes, i),
                                                             pair(f8.signs, i), pair(f8.below, i));
            x->word[i] = (uint32_t)value;
            x->word[i + 1] = (uint32_t)(value >> 32);
        }
    }
}

static __device__ __forceinline__ void flip(const struct gs_gpu_codec &codec, struct words *x)
{
#pragma unroll
    for (int i = 0; i < GS_GPU_WORDS; i++)
        x->word[i] ^= codec.flips[i];
}

/* Weave the numbers of zorder() keys (FORTH), or take them apart, bit by bit. */
template <bool FORTH>
static __device__ gs_key weave(const struct gs_gpu_codec &codec, gs_key element)
{
    for (uint32_t k = 0; k < codec.weave_count; k++) {
        const struct gs_gpu_weave how = codec.weaves[k];
        const gs_key old = element >> how.below;
        gs_key changed = 0;
        for (uint32_t bit = 0; bit < how.bits; bit++)
            for (uint32_t i = 0; i < how.count; i++) {
                const uint32_t apart = i * how.bits + bit;
                const uint32_t woven = bit * how.count + i;
                const uint32_t from = FORTH ? apart : woven;
                const uint32_t to = FORTH ? woven : apart;
                changed |= ((old >> from ^ old >> to) & 1) << to;
            }
        element ^= changed << how.below;
    }
    return element;
}

static __global__ void __launch_bounds__(CODEC_THREADS)
    load_elements_kernel(const __grid_constant__ struct gs_gpu_codec codec, const void *records,
                         gs_key *elements, uint64_t n)
{
    after_previous();
    const uint64_t first = (uint64_t)blockIdx.x * CODEC_TILE + threadIdx.x;
    struct words x[CODEC_ITEMS];
#pragma unroll
    for (int i = 0; i < CODEC_ITEMS; i++)
        if (first + i * CODEC_THREADS < n)
            x[i] = read_record(records, first + i * CODEC_THREADS, codec.record_bytes);
#pragma unroll
    for (int i = 0; i < CODEC_ITEMS; i++) {
        if (first + i * CODEC_THREADS >= n)
            return;
        x[i] = pick(codec.from_records, x[i]);
        fold<true>(codec, &x[i]);
        x[i] = pick(codec.from_aligned, x[i]);
        flip(codec, &x[i]);
        gs_key element = weave<true>(codec, key_of(x[i]));
        if (codec.index_bits != 0)
            element = element >> codec.index_bits << codec.index_bits | (first + i * CODEC_THREADS);
        elements[first + i * CODEC_THREADS] = element;
    }
}

static __global__ void __launch_bounds__(CODEC_THREADS)
    store_elements_kernel(const __grid_constant__ struct gs_gpu_codec codec, const gs_key *elements,
                          void *records, uint64_t n)
{
    after_previous();
    const uint64_t first = (uint64_t)blockIdx.x * CODEC_TILE + threadIdx.x;
    gs_key key[CODEC_ITEMS];
#pragma unroll
    for (int i = 0; i < CODEC_ITEMS; i++)
        if (first + i * CODEC_THREADS < n)
            key[i] = elements[first + i * CODEC_THREADS];
#pragma unroll
    for (int i = 0; i < CODEC_ITEMS; i++) {
        if (first + i * CODEC_THREADS >= n)
            return;
        struct words x = words_of(weave<false>(codec, key[i]));
        flip(codec, &x);
        x = pick(codec.to_aligned, x);
        fold<false>(codec, &x);
        x = pick(codec.to_records, x);
        write_record(records, first + i * CODEC_THREADS, codec.record_bytes, x);
    }
}

template <typename INDEX>
static __global__ void __launch_bounds__(CODEC_THREADS)
    store_indices_kernel(uint32_t bits, const gs_key *elements, INDEX *indices, uint64_t n)
{
    after_previous();
    const uint64_t first = (uint64_t)blockIdx.x * CODEC_TILE + threadIdx.x;
#pragma unroll
    for (int i = 0; i < CODEC_ITEMS; i++)
        if (first + i * CODEC_THREADS < n)
            indices[first + i * CODEC_THREADS] =
                (INDEX)(elements[first + i * CODEC_THREADS] & (((gs_key)1 << bits) - 1));
}

static unsigned blocks_for(uint64_t n)
{
    return (unsigned)((n + CODEC_TILE - 1) / CODEC_TILE);
}

cudaError_t gs_load_elements_gpu(const struct gs_gpu_codec *codec, const void *records,
                                 gs_key *elements, uint64_t n, cudaStream_t stream)
{
    return gs_launch_next(load_elements_kernel, blocks_for(n), CODEC_THREADS, 0, stream, *codec,
                          records, elements, n);
}

cudaError_t gs_store_elements_gpu(const struct gs_gpu_codec *codec, const gs_key *elements,
                                  void *records, uint64_t n, cudaStream_t stream)
{
    return gs_launch_next(store_elements_kernel, blocks_for(n), CODEC_THREADS, 0, stream, *codec,
                          elements, records, n);
}

cudaError_t gs_store_indices_gpu(const struct gs_gpu_codec *codec, const gs_key *elements,
                                 void *indices, unsigned index_bytes, uint64_t n,
                                 cudaStream_t stream)
{
    if (index_bytes == sizeof(uint32_t))
        return gs_launch_next(store_indices_kernel<uint32_t>, blocks_for(n), CODEC_THREADS, 0,
                              stream, codec->index_bits, elements, (uint32_t *)indices, n);
    return gs_launch_next(store_indices_kernel<uint64_t>, blocks_for(n), CODEC_THREADS, 0, stream,
                          codec->index_bits, elements, (uint64_t *)indices, n);
}
