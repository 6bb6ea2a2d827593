/* gpu_upload.c -- move the input to device memory: staged, or registered if threads are few.
 * SPDX-License-Identifier: MIT
 *
 * Staging: several threads copy pieces to pinned buffers, while earlier pieces cross the bus.
 * Registering walks page tables in the kernel, at 20 to 47 GB/s with one thread, so several threads
 * share it. Each registered range is then copied by itself, since a copy must not span two
 * registrations.
 */
#include "sort/gpu/gpu_upload.h"
#include "sort/device/gpu_call.h"

#include <assert.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Smaller pieces are staged: registering costs some microseconds per call. */
#define REGISTER_BYTES_MIN ((size_t)4 << 20)

/* Most threads that copy to pinned buffers. Twice as many were a third faster, but hinder the
 * threads that make the output's pages. */
#define STAGING_THREADS_MAX 8

static_assert(GS_GPU_STAGING_PARTS >= 2 * STAGING_THREADS_MAX, "one is filled, one crosses");

/* From this many threads on, staging is faster than registering and unregistering the input: 4 GiB
 * on an H200 server with 16 threads, whole runs in turn, took 0.95 s on ext4 and 0.96 on tmpfs
 * registered, 0.74 and 0.92 staged. One or two threads copy at 7 and 14 GB/s, registering runs at
 * 20 to 47. */
#define STAGING_THREADS_ENOUGH 4

/* Threads that register side by side; more would wait for each other in the kernel. */
#define REGISTER_THREADS 4

enum gs_status gs_gpu_upload_open(struct gs_gpu_upload *upload, void *staging, size_t bytes,
                                  unsigned threads, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    int read_only = 0;
    *upload = (struct gs_gpu_upload){.threads = 1, .staging = staging};
    upload->part_bytes = bytes / GS_GPU_STAGING_PARTS / sizeof(gs_key) * sizeof(gs_key);
    while (2 * upload->threads <= threads && upload->threads < STAGING_THREADS_MAX)
        upload->threads *= 2;
    GS_CUDA_TRY(cudaStreamCreateWithFlags(&upload->stream, cudaStreamNonBlocking));
    GS_CUDA_TRY(cudaDeviceGetAttribute(&read_only, cudaDevAttrHostRegisterReadOnlySupported, 0));
    upload->registers = read_only != 0 && upload->threads < STAGING_THREADS_ENOUGH;
    for (int i = 0; i < GS_GPU_STAGING_PARTS; i++)
        GS_CUDA_TRY(cudaEventCreateWithFlags(&upload->staged[i], cudaEventDisableTiming));
cleanup:
    return st;
}

void gs_gpu_upload_close(struct gs_gpu_upload *upload)
{
    if (upload->stream != NULL)
        cudaStreamSynchronize(upload->stream);
    for (size_t i = 0; i < upload->range_count; i++)
        cudaHostUnregister(upload->ranges[i].start);
    free(upload->ranges);
    for (int i = 0; i < GS_GPU_STAGING_PARTS; i++)
        if (upload->staged[i] != NULL)
            cudaEventDestroy(upload->staged[i]);
    if (upload->stream != NULL)
        cudaStreamDestroy(upload->stream);
    *upload = (struct gs_gpu_upload){0};
}

/* Copy one piece through one of this thread's parts of the staging memory, once that is free. */
static enum gs_status stage_piece(struct gs_gpu_upload *upload, unsigned thread, const char *from,
                                  size_t bytes, char *to, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    unsigned own = GS_GPU_STAGING_PARTS / upload->threads;
    unsigned part = thread * own + upload->turns[thread]++ % own;
    char *staged = upload->staging + part * upload->part_bytes;
    GS_CUDA_TRY(cudaEventSynchronize(upload->staged[part]));
    if (upload->codec != NULL)
        gs_codec_load(upload->codec, from, staged, bytes / sizeof(gs_key));
    else
        memcpy(staged, from, bytes);
    GS_CUDA_TRY(cudaMemcpyAsync(to, staged, bytes, cudaMemcpyHostToDevice, upload->stream));
    GS_CUDA_TRY(cudaEventRecord(upload->staged[part], upload->stream));
cleanup:
    return st;
}

/* Copy host memory through the staging memory; each thread that is free takes the next piece.
 * `bytes` counts those of keys. */
static enum gs_status stage_bytes(struct gs_gpu_upload *upload, const char *from, size_t bytes,
                                  char *to, struct gs_error *err)
{
    const size_t record = upload->codec != NULL ? upload->codec->record_bytes : sizeof(gs_key);
    atomic_size_t next = 0;
    atomic_bool failed = false;
    size_t piece = upload->part_bytes;
#pragma omp parallel num_threads(upload->threads) if (bytes > piece)
    {
        struct gs_error own = {.status = GS_OK};
        for (size_t at; !failed && (at = atomic_fetch_add(&next, piece)) < bytes;)
            if (stage_piece(upload, (unsigned)omp_get_thread_num(),
                            from + at / sizeof(gs_key) * record,
                            bytes - at < piece ? bytes - at : piece, to + at, &own) != GS_OK &&
                !atomic_exchange(&failed, true))
                *err = own;
    }
    return failed ? err->status : GS_OK;
}

/* Remember a registered range. Returns false if there is no memory for that. */
static bool add_range(struct gs_gpu_upload *upload, struct gs_gpu_range range)
{
    if (upload->range_count == upload->range_capacity) {
        size_t capacity = upload->range_capacity * 2 + 64;
        struct gs_gpu_range *ranges = realloc(upload->ranges, capacity * sizeof *ranges);
        if (ranges == NULL)
            return false;
        upload->ranges = ranges;
        upload->range_capacity = capacity;
    }
    upload->ranges[upload->range_count++] = range;
    return true;
}

/* The end of the registered range that ends in the page at `page`, or `page` if there is none:
 * pieces of an input follow each other, and a page may be registered only once. */
static char *skip_registered(const struct gs_gpu_upload *upload, char *page, size_t page_bytes)
{
    for (size_t i = upload->range_count; i-- > 0;) {
        char *end = (char *)upload->ranges[i].start + upload->ranges[i].bytes;
        if (page >= (char *)upload->ranges[i].start && page < end && end <= page + page_bytes)
            return end;
    }
    return page;
}

/* Register the pages of [from, from + bytes) in a few ranges side by side. Returns how many ranges
 * in `out` were registered, in ascending order and without gaps from the first page on. */
static size_t register_bytes(struct gs_gpu_upload *upload, const char *from, size_t bytes,
                             struct gs_gpu_range out[REGISTER_THREADS])
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    char *begin = (char *)((uintptr_t)from / page_bytes * page_bytes);
    char *end = (char *)(((uintptr_t)from + bytes + page_bytes - 1) / page_bytes * page_bytes);
    begin = skip_registered(upload, begin, page_bytes);
    size_t share = (size_t)(end - begin) / REGISTER_THREADS / page_bytes * page_bytes + page_bytes;
    bool taken[REGISTER_THREADS] = {false};
#pragma omp parallel for num_threads(REGISTER_THREADS)
    for (int i = 0; i < REGISTER_THREADS; i++) {
        char *start = begin + (size_t)i * share;
        if (start >= end)
            continue;
        size_t length = (size_t)(end - start) < share ? (size_t)(end - start) : share;
        out[i] = (struct gs_gpu_range){.start = start, .bytes = length};
        taken[i] =
            gs_gpu_inject(cudaHostRegister(start, length, cudaHostRegisterReadOnly)) == cudaSuccess;
    }
    size_t good = 0;
    while (good < REGISTER_THREADS && taken[good] && add_range(upload, out[good]))
        good++;
    for (size_t i = good; i < REGISTER_THREADS; i++)
        if (taken[i])
            cudaHostUnregister(out[i].start);
    (void)cudaGetLastError();
    return good;
}

/* Queue one piece of host memory. */
static enum gs_status upload_bytes(struct gs_gpu_upload *upload, const char *from, size_t bytes,
                                   char *to, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_gpu_range ranges[REGISTER_THREADS];
    const char *end = from + bytes;
    size_t good = 0;
    if (upload->registers && upload->codec == NULL && bytes >= REGISTER_BYTES_MIN) {
        good = register_bytes(upload, from, bytes, ranges);
        upload->registers = good > 0;
    }
    const char *at = from;
    /* The first range may begin after a page that an earlier piece has registered. */
    if (good > 0 && (const char *)ranges[0].start > at) {
        size_t here = (size_t)((const char *)ranges[0].start - at);
        GS_TRY(stage_bytes(upload, at, here, to, err));
        at += here;
    }
    for (size_t i = 0; i < good; i++) {
        const char *stop = (const char *)ranges[i].start + ranges[i].bytes;
        stop = stop < end ? stop : end;
        GS_CUDA_TRY(cudaMemcpyAsync(to + (at - from), at, (size_t)(stop - at),
                                    cudaMemcpyHostToDevice, upload->stream));
        at = stop;
    }
    if (at < end)
        GS_TRY(stage_bytes(upload, at, (size_t)(end - at), to + (at - from), err));
cleanup:
    return st;
}

enum gs_status gs_gpu_upload_keys(struct gs_gpu_upload *upload, const struct gs_tiles *tiles,
                                  uint64_t first, uint64_t count, gs_key *to, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    for (uint64_t done = 0; done < count;) {
        struct gs_tile part = gs_tiles_part(tiles, first + done, count - done);
        upload->codec = part.keys != NULL ? NULL : tiles->codec;
        GS_TRY(upload_bytes(upload, part.records, part.count * sizeof(gs_key), (char *)(to + done),
                            err));
        done += part.count;
    }
cleanup:
    return st;
}
