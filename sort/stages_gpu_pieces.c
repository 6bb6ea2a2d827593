/* stages_gpu_pieces.c -- the table of stages for inputs beyond device memory.
 * SPDX-License-Identifier: MIT
 *
 * The host counts and scatters, as without a GPU; then as many neighbouring bins as fit go to the
 * device together, are sorted there as one, and go to the output. No merge: bins are disjoint. One
 * thing after the other; overlap is for the day when somebody has such inputs often.
 */
#include "sort/gpu_buffers.h"
#include "sort/gpu_call.h"
#include "sort/gpu_upload.h"
#include "sort/stages_cpu.h"

#include "common/clock.h"

/* Equality bins are not scattered, but go to the device with their neighbours. */
static void fill_equality_bins(const struct gs_run *run)
{
    const struct gs_cpu *cpu = run->device;
#pragma omp parallel for num_threads(run->plan.threads) schedule(dynamic)
    for (uint32_t bin = 0; bin < gs_run_bins(run); bin++) {
        if (!gs_splitters_equal(&run->splitters, bin))
            continue;
        gs_key key = gs_splitters_low(&run->splitters, bin);
        for (uint64_t i = 0; i < run->counts[bin]; i++)
            cpu->bins[run->offsets[bin] + i] = key;
    }
}

/* The bins that fit together from number *next of the output's order on: how many keys they have.
 * Moves *next behind them; 0 if there is no room for the first. */
static uint64_t take_bins(const struct gs_run *run, uint64_t capacity, uint32_t *next)
{
    uint64_t count = 0;
    for (; *next < gs_run_bins(run); ++*next) {
        uint64_t more = run->counts[gs_run_bin_at(run, *next)];
        if (count + more > capacity)
            break;
        count += more;
    }
    return count;
}

/* A bin that the device has no room for is the CPU's: an equality bin, mostly. */
static enum gs_status finish_on_host(struct gs_run *run, uint32_t bin, uint64_t *first_piece,
                                     struct gs_error *err)
{
    struct gs_cpu *cpu = run->device;
    struct gs_work work = {0};
    gs_finish_bin_cpu(run, bin, (*first_piece)++, cpu->scratch, &work);
    gs_work_account(run, &work, 1);
    return gs_emit_result(&run->emitter, err);
}

/* Upload, sort and emit keys[0 .. count), which lie at `offset` in the output. */
static enum gs_status sort_piece(struct gs_run *run, struct gs_gpu_buffers *buffers,
                                 struct gs_gpu_upload *upload, uint64_t offset, uint64_t count,
                                 uint64_t *first_piece, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_cpu *cpu = run->device;
    struct gs_device_stats stats;
    struct gs_span span = {.keys = cpu->bins + offset, .count = count, .name = "bins"};
    struct gs_tiles tiles = {.spans = NULL};
    uint64_t start = gs_now_ns();
    GS_TRY(gs_tiles_make(&tiles, &span, 1, err));
    GS_TRY(gs_gpu_upload_keys(upload, &tiles, 0, count, buffers->keys, err));
    GS_CUDA_TRY(cudaStreamSynchronize(upload->stream));
    gs_run_account(run, GS_STAGE_UPLOAD, "gpu", gs_now_ns() - start, count, count * GS_KEY_BYTES);
    GS_TRY(gs_device_sort(&buffers->sorter, buffers->keys, buffers->other, count, &stats, err));
    gs_gpu_account_sort(run, &stats, count);
    GS_TRY(gs_gpu_buffers_emit(buffers, run, count, offset, first_piece, err));
    atomic_fetch_add_explicit(&run->progress->done, count, memory_order_relaxed);
cleanup:
    gs_tiles_free(&tiles);
    return st;
}

static enum gs_status sort_bins_pieces(struct gs_run *run, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    static struct gs_gpu_device device; /* its name outlives the call, in stats */
    struct gs_gpu_buffers buffers = {.keys = NULL};
    struct gs_gpu_upload upload = {.stream = NULL};
    uint64_t first_piece = 0;
    uint32_t next = 0;
    GS_TRY(gs_gpu_wait(&device, err));
    run->stats->device_text = device.name;
    gs_run_account(run, GS_STAGE_START, "gpu", device.start_ns, 0, 0);
    uint64_t capacity = gs_gpu_capacity(run->options, &device);
    if (capacity == 0)
        return gs_fail(err, GS_ERR_DEVICE_MEMORY, 0, "%s: no memory to sort in", device.name);
    capacity = capacity < run->plan.count ? capacity : run->plan.count;
    GS_TRY(gs_gpu_upload_open(&upload, run->plan.threads, err));
    GS_TRY(gs_gpu_buffers_open(&buffers, capacity, err));
    fill_equality_bins(run);
    while (next < gs_run_bins(run)) {
        uint32_t bin = gs_run_bin_at(run, next);
        uint64_t offset = run->offsets[bin];
        uint64_t count = take_bins(run, capacity, &next);
        if (count > 0) {
            GS_TRY(sort_piece(run, &buffers, &upload, offset, count, &first_piece, err));
        } else if (next < gs_run_bins(run)) {
            GS_TRY(finish_on_host(run, gs_run_bin_at(run, next), &first_piece, err));
            next++;
        }
    }
cleanup:
    gs_gpu_upload_close(&upload);
    gs_gpu_buffers_close(&buffers);
    return st;
}

/* Count, prefix sum and scatter are the CPU's. */
static enum gs_status open_pieces(struct gs_run *run, uint64_t *chunk_keys, struct gs_error *err)
{
    return gs_stages_cpu.open(run, chunk_keys, err);
}

static enum gs_status count_pieces(struct gs_run *run, const struct gs_chunk *chunk,
                                   struct gs_error *err)
{
    return gs_stages_cpu.count_bins(run, chunk, err);
}

static enum gs_status prefix_sum_pieces(struct gs_run *run, const struct gs_chunk *chunk,
                                        struct gs_error *err)
{
    return gs_stages_cpu.prefix_sum(run, chunk, err);
}

static enum gs_status scatter_pieces(struct gs_run *run, const struct gs_chunk *chunk,
                                     struct gs_error *err)
{
    return gs_stages_cpu.scatter(run, chunk, err);
}

static void close_pieces(struct gs_run *run)
{
    gs_stages_cpu.close(run);
}

const struct gs_stages gs_stages_gpu_pieces = {
    .device = "gpu",
    .scatter_device = "cpu",
    .open = open_pieces,
    .count_bins = count_pieces,
    .prefix_sum = prefix_sum_pieces,
    .scatter = scatter_pieces,
    .sort_bins = sort_bins_pieces,
    .close = close_pieces,
};
