/* gpu_array.c -- sort a caller's records in device memory, with the caller's memory and stream.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu/gpu_array.h"
#include "sort/device/device_codec.h"
#include "sort/device/device_reports.h"
#include "sort/device/device_sort.h"
#include "sort/device/gpu_call.h"
#include "sort/device/pages/pages.h"
#include "sort/gpu/gpu_start.h"

#include <inttypes.h>

/* Alignment of what lies in temp. */
#define ALIGNMENT ((size_t)256)

/* More than any device holds, and few enough for the grid of a kernel. */
#define RECORDS_MAX (UINT64_C(1) << 38)

struct array_sort {
    const struct gs_device_array *array;
    struct gs_gpu_codec codec;
    bool loads;   /* records are not the elements that are sorted, and take passes */
    bool apart;   /* and have another size, or positions are asked for: elements are in temp */
    int device;   /* the current one */
    size_t lists; /* bytes of temp for these, */
    size_t room;  /* and for pages */
    struct gs_device_sorter sorter;
};

static size_t round_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* How records become elements. */
static void set_codec(struct array_sort *sort, const struct gs_options *options)
{
    struct gs_codec codec;
    gs_codec_init(&codec, options->format);
    sort->loads = !codec.identity || options->reverse;
    sort->apart = codec.record_bytes != GS_KEY_BYTES;
    gs_device_codec(&sort->codec, &codec, options->reverse);
    if (sort->array->index_bytes != 0) {
        sort->loads = sort->apart = true;
        sort->codec.index_bits = codec.payload_bits;
    }
}

/* Bytes of temp: a buffer beside the elements, perhaps these, the sorter's lists and pages, and
 * what aligns all that. */
static size_t temp_bytes(const struct array_sort *sort)
{
    const size_t buffer = round_up(sort->array->count * sizeof(gs_key));
    return ALIGNMENT + (sort->apart ? 2 : 1) * buffer + sort->lists + sort->room;
}

static enum gs_status plan(struct array_sort *sort, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t count = sort->array->count;
    GS_TRY(gs_gpu_usable(cudaGetDevice(&sort->device), err));
    if (count > RECORDS_MAX)
        return gs_fail(err, GS_ERR_DEVICE_MEMORY, 0, "no GPU has room for %" PRIu64 " records",
                       count);
    GS_TRY(gs_device_sorter_plan(&sort->sorter, count, &sort->lists, err));
    if (!sort->array->no_wait)
        sort->room = gs_device_sorter_room(&sort->sorter);
    if (sort->loads && !sort->apart && count > sort->sorter.few_keys)
        sort->loads = !gs_device_door(&sort->sorter.work.door, &sort->codec);
    if (sort->sorter.work.block_bytes < GS_GPU_BLOCK_LEAST)
        st = gs_fail(err, GS_ERR_DEVICE, 0,
                     "GPU: too little shared memory for elements of %d bytes", GS_KEY_BYTES);
cleanup:
    return st;
}

/* Can the current device reach this memory? Else kernels would end by an error that no CUDA call of
 * the process recovers from. */
static enum gs_status check_memory(const struct array_sort *sort, const char *name,
                                   const void *memory, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct cudaPointerAttributes found;
    int pageable = 0;
    GS_CUDA_TRY(cudaPointerGetAttributes(&found, memory));
    if (found.type == cudaMemoryTypeUnregistered)
        GS_CUDA_TRY(
            cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, sort->device));
    if (found.type == cudaMemoryTypeUnregistered && !pageable)
        return gs_fail(err, GS_ERR_USAGE, 0, "%s is not memory of a GPU", name);
    if (found.type == cudaMemoryTypeDevice && found.device != sort->device)
        return gs_fail(err, GS_ERR_USAGE, 0, "%s is memory of GPU %d, and the current one is %d",
                       name, found.device, sort->device);
cleanup:
    return st;
}

static enum gs_status check_call(const struct array_sort *sort, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_device_array *array = sort->array;
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (array->temp_bytes < temp_bytes(sort))
        return gs_fail(err, GS_ERR_USAGE, 0, "temp has %zu bytes, and %zu are needed",
                       array->temp_bytes, temp_bytes(sort));
    const uintptr_t records =
        (uintptr_t)array->in | (array->index_bytes == 0 ? (uintptr_t)array->out : 0);
    if (sort->codec.record_bytes == GS_KEY_BYTES && records % GS_KEY_BYTES != 0)
        return gs_fail(err, GS_ERR_USAGE, 0, "records of %d bytes must be aligned to %d bytes",
                       GS_KEY_BYTES, GS_KEY_BYTES);
    if (array->index_bytes != 0 && (uintptr_t)array->out % array->index_bytes != 0)
        return gs_fail(err, GS_ERR_USAGE, 0, "positions of %u bytes must be aligned to %u bytes",
                       array->index_bytes, array->index_bytes);
    GS_TRY(check_memory(sort, "in", array->in, err));
    GS_TRY(check_memory(sort, "out", array->out, err));
    GS_TRY(check_memory(sort, "temp", array->temp, err));
    if (!array->no_wait)
        GS_CUDA_TRY(cudaStreamIsCapturing(array->stream, &capture));
    if (capture != cudaStreamCaptureStatusNone)
        st = gs_fail(err, GS_ERR_USAGE, 0,
                     "a stream that is being captured needs GSORT_DEVICE_NO_WAIT");
cleanup:
    return st;
}

/* Cut the caller's memory into pieces. Returns where the elements are sorted, beside another
 * buffer: in `out`, or all in temp. */
static gs_key *place(struct array_sort *sort, gs_key **other)
{
    const struct gs_device_array *array = sort->array;
    const size_t buffer = round_up(array->count * sizeof(gs_key));
    char *next = (char *)round_up((uintptr_t)array->temp);
    gs_key *keys = array->out;
    *other = (gs_key *)(void *)next;
    next += buffer;
    if (sort->apart) {
        keys = (gs_key *)(void *)next;
        next += buffer;
    }
    gs_device_sorter_place(&sort->sorter, next, sort->sorter.work.report);
    if (sort->room > 0 && (GS_BITS > 32 || (uintptr_t)keys % 16 == 0))
        gs_device_sorter_place_room(&sort->sorter, next + sort->lists);
    return keys;
}

/* Queue all of it on the stream. */
static enum gs_status sort_records(struct array_sort *sort, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_device_array *array = sort->array;
    const uint64_t count = array->count;
    struct gs_device_stats stats;
    gs_key *other;
    gs_key *keys = place(sort, &other);
    const bool copies = !sort->loads && array->in != array->out;
    if (GS_BITS == 32 && sort->sorter.room.sort != NULL && (sort->loads || copies)) {
        /* The result will be in `other`, and that should be `out`. (That of wider keys never is.)
         */
        gs_key *const to = keys;
        keys = other;
        other = to;
    }
    if (copies)
        sort->sorter.source = array->in;
    if (sort->loads)
        GS_CUDA_TRY(
            gs_load_elements_gpu(&sort->codec, array->in, keys, count, sort->sorter.stream));
    GS_TRY(gs_device_sort(&sort->sorter, keys, other, count, &stats, err));
    if (stats.in_other)
        keys = other;
    if (array->index_bytes != 0)
        GS_CUDA_TRY(gs_store_indices_gpu(&sort->codec, keys, array->out, array->index_bytes, count,
                                         sort->sorter.stream));
    else if (sort->loads)
        GS_CUDA_TRY(
            gs_store_elements_gpu(&sort->codec, keys, array->out, count, sort->sorter.stream));
    else if (keys != array->out)
        GS_CUDA_TRY(cudaMemcpyAsync(array->out, keys, count * sizeof *keys,
                                    cudaMemcpyDeviceToDevice, sort->sorter.stream));
cleanup:
    return st;
}

enum gs_status gs_gpu_array_sort(const struct gs_options *options, struct gs_device_array *array,
                                 struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct array_sort sort = {.array = array};
    set_codec(&sort, options);
    GS_TRY(plan(&sort, err));
    if (array->temp == NULL) {
        array->temp_bytes = temp_bytes(&sort);
        return GS_OK;
    }
    if (array->count == 0)
        return GS_OK;
    GS_TRY(check_call(&sort, err));
    sort.sorter.stream = array->stream;
    if (array->no_wait)
        return sort_records(&sort, err);
    GS_TRY(gs_device_report_take(&sort.sorter.work.report, err));
    st = sort_records(&sort, err);
    if (st != GS_OK && cudaStreamSynchronize(array->stream) != cudaSuccess)
        (void)cudaGetLastError(); /* else no report is under way any more */
    gs_device_report_give(sort.sorter.work.report);
cleanup:
    return st;
}
