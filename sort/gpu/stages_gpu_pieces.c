/* stages_gpu_pieces.c -- the stages for inputs that do not fit into device memory.
 * SPDX-License-Identifier: MIT
 *
 * The host counts and scatters, as without a GPU; then as many neighbouring bins as fit go to the
 * device together, are sorted there as one, and go to the output. No merge is needed, as bins are
 * disjoint. These steps do not overlap: such inputs have been too rare for that to pay.
 */
#include "sort/gpu/stages_gpu_pieces.h"
#include "sort/cpu/count_bins.h"
#include "sort/cpu/cpu.h"
#include "sort/cpu/pieces.h"
#include "sort/cpu/prefix_sum.h"
#include "sort/cpu/scatter.h"
#include "sort/cpu/sort_bins.h"
#include "sort/cpu/stages_cpu.h"
#include "sort/device/gpu_call.h"
#include "sort/gpu/gpu_buffers.h"
#include "sort/gpu/gpu_capacity.h"
#include "sort/gpu/gpu_upload.h"
#include "sort/run/thread_work.h"

#include "common/clock.h"
#include "common/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

void gs_gpu_plan_pieces(struct gs_plan *plan)
{
    gs_plan_force_bins(plan);
    plan->memory_bytes += gs_gpu_buffers_host_bytes(plan->count);
}

/* Take the pieces that fit into the device together, from number *next of the output's order on.
 * Returns how many keys they have, 0 if there is no room for the first, and moves *next past
 * them. */
static uint64_t take_pieces(const struct gs_run *run, const struct gs_pieces *pieces,
                            uint64_t capacity, uint64_t *next)
{
    uint64_t count = 0;
    for (; *next < pieces->count; ++*next) {
        uint64_t more = gs_piece_at(run, pieces, *next)->count;
        if (count + more > capacity)
            break;
        count += more;
    }
    return count;
}

/* Sort on the CPU a piece that the device has no room for: mostly an equality bin. */
static enum gs_status finish_on_host(struct gs_run *run, const struct gs_piece *piece,
                                     uint64_t *first_piece, struct gs_error *err)
{
    struct gs_cpu *cpu = run->cpu;
    struct gs_thread_work work = {0};
    size_t bytes = piece->low == piece->high ? 0 : piece->count * sizeof(gs_key);
    gs_key *to = gs_pages_alloc(bytes);
    if (to == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to sort a bin of %" PRIu64 " keys",
                       piece->count);
    gs_finish_piece_cpu(run, piece, (*first_piece)++, to, cpu->scratch, &work);
    gs_pages_free(to, bytes);
    gs_work_account(run, &work, 1);
    return gs_emit_result(&run->emitter, err);
}

/* Describe the keys of neighbouring pieces, from the lowest to the highest: in each chunk their
 * runs are neighbours, too. */
static void make_spans(const struct gs_cpu *cpu, const struct gs_piece *lowest,
                       const struct gs_piece *highest, struct gs_span *spans)
{
    for (uint64_t chunk = 0; chunk < cpu->chunks; chunk++) {
        uint32_t begin = lowest->starts[chunk * lowest->stride];
        uint32_t end = highest->starts[chunk * highest->stride + 1];
        spans[chunk] = (struct gs_span){
            .keys = gs_cpu_chunk(cpu, chunk) + begin, .count = end - begin, .name = "bins"};
    }
}

/* Upload, sort and emit the keys in spans, count in all, whose position in the output is
 * `offset`. */
static enum gs_status sort_piece(struct gs_run *run, struct gs_gpu_buffers *buffers,
                                 struct gs_gpu_upload *upload, const struct gs_span *spans,
                                 uint64_t offset, uint64_t count, uint64_t *first_piece,
                                 struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_cpu *cpu = run->cpu;
    struct gs_device_stats stats;
    struct gs_tiles tiles = {.spans = NULL};
    uint64_t start = gs_now_ns();
    GS_TRY(gs_tiles_make(&tiles, spans, cpu->chunks, err));
    GS_TRY(gs_gpu_upload_keys(upload, &tiles, 0, count, buffers->keys, err));
    GS_CUDA_TRY(cudaStreamSynchronize(upload->stream));
    gs_run_account(run, GS_STAGE_UPLOAD, "gpu", gs_now_ns() - start, count, count * GS_KEY_BYTES);
    GS_TRY(gs_device_sort(&buffers->sorter, buffers->keys, buffers->other, count, &stats, err));
    assert(!stats.in_other); /* only with room (pages/pages.h) */
    gs_gpu_account_sort(run, &stats, count);
    GS_TRY(gs_gpu_buffers_emit(buffers, run, count, offset, first_piece, err));
cleanup:
    gs_tiles_free(&tiles);
    return st;
}

/* Fewer keys at once would be of no use. */
#define CAPACITY_MIN 4096

static enum gs_status open_device(const struct gs_run *run, uint64_t capacity,
                                  struct gs_gpu_buffers *buffers, struct gs_gpu_upload *upload,
                                  struct gs_error *err)
{
    enum gs_status st = GS_OK;
    GS_TRY(gs_gpu_buffers_reserve(buffers, capacity, err));
    GS_TRY(gs_gpu_buffers_open(buffers, err));
    GS_TRY(gs_gpu_upload_open(upload, buffers->host, gs_gpu_buffers_host_bytes(capacity),
                              run->plan.threads, err));
cleanup:
    if (st != GS_OK) {
        gs_gpu_upload_close(upload);
        gs_gpu_buffers_close(buffers);
    }
    return st;
}

/* Open the device for *capacity keys, or halve that until they fit: another process may have taken
 * memory that was free a moment ago, or the free memory may be fragmented. */
static enum gs_status open_largest(const struct gs_run *run, uint64_t *capacity,
                                   struct gs_gpu_buffers *buffers, struct gs_gpu_upload *upload,
                                   struct gs_error *err)
{
    enum gs_status st = open_device(run, *capacity, buffers, upload, err);
    while (st == GS_ERR_DEVICE_MEMORY && *capacity >= 2 * CAPACITY_MIN) {
        *capacity /= 2;
        err->status = GS_OK;
        st = open_device(run, *capacity, buffers, upload, err);
    }
    return st;
}

static enum gs_status sort_bins_pieces(struct gs_run *run, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_gpu_device device;
    struct gs_gpu_buffers buffers = {.keys = NULL};
    struct gs_gpu_upload upload = {.stream = NULL};
    const struct gs_cpu *cpu = run->cpu;
    struct gs_pieces pieces = {.list = NULL};
    struct gs_span *spans = NULL;
    uint64_t first_piece = 0;
    uint64_t next = 0;
    size_t free_bytes;
    size_t total_bytes;
    GS_TRY(gs_gpu_wait(&device, err));
    gs_gpu_describe(run, &device);
    /* Ask again: less may be free than at the start, which may be why this is in pieces. */
    GS_CUDA_TRY(cudaMemGetInfo(&free_bytes, &total_bytes));
    device.free_bytes = free_bytes;
    uint64_t capacity = gs_gpu_capacity(run->options, &device);
    if (capacity == 0)
        return gs_fail(err, GS_ERR_DEVICE_MEMORY, 0, "%s: no memory to sort in", device.name);
    capacity = capacity < run->plan.count ? capacity : run->plan.count;
    GS_TRY(open_largest(run, &capacity, &buffers, &upload, err));
    gs_total_bins_cpu(run);
    GS_TRY(gs_split_bins_cpu(run, &pieces, err));
    spans = calloc(cpu->chunks, sizeof *spans);
    if (spans == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory");
        goto cleanup;
    }
    while (next < pieces.count) {
        const struct gs_piece *first = gs_piece_at(run, &pieces, next);
        uint64_t count = take_pieces(run, &pieces, capacity, &next);
        if (count == 0) {
            GS_TRY(finish_on_host(run, first, &first_piece, err));
            next++;
            continue;
        }
        const struct gs_piece *last = gs_piece_at(run, &pieces, next - 1);
        bool reverse = run->options->reverse;
        make_spans(cpu, reverse ? last : first, reverse ? first : last, spans);
        GS_TRY(sort_piece(run, &buffers, &upload, spans, first->offset, count, &first_piece, err));
    }
cleanup:
    free(spans);
    gs_pieces_free(&pieces);
    if (st == GS_OK && run->options->leave_device)
        return st;
    gs_gpu_upload_close(&upload);
    gs_gpu_buffers_close(&buffers);
    return st;
}

/* The CPU does count, prefix sum and scatter. */
static enum gs_status open_pieces(struct gs_run *run, uint64_t *chunk_keys, struct gs_error *err)
{
    enum gs_status st = gs_stages_cpu.open(run, chunk_keys, err);
    if (st == GS_OK)
        run->cpu->moves_equal = true; /* with their neighbours */
    return st;
}

static void close_pieces(struct gs_run *run)
{
    gs_stages_cpu.close(run);
}

const struct gs_stages gs_stages_gpu_pieces = {
    .device = "gpu",
    .scatter_device = "cpu",
    .chunks_side_by_side = true,
    .open = open_pieces,
    .count_bins = gs_count_bins_cpu,
    .prefix_sum = gs_prefix_sum_cpu,
    .scatter = gs_scatter_cpu,
    .sort_bins = sort_bins_pieces,
    .close = close_pieces,
};
