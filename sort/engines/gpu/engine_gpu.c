/* engine_gpu.c -- the host's side of a shared-memory engine on the GPU.
 * SPDX-License-Identifier: MIT
 *
 * The keys are few, and plain copies carry them over the bus. The lists live only while one kernel
 * runs, so one kernel both sorts and merges: events time it, and its time is divided between the
 * two rows in the proportion that the block's own clock gives.
 */
#include "sort/engines/gpu/engine_gpu.h"
#include "sort/device/gpu_call.h"
#include "sort/engines/gpu/engine_block.h"
#include "sort/engines/list_engines.h"
#include "sort/gpu/gpu_proof.h"
#include "sort/gpu/gpu_start.h"

#include <stdio.h>

enum { BEGUN, UPLOADED, SORTED, FETCHED, EVENTS };

/* What one sort needs on the device. */
struct block {
    gs_key *keys;
    struct gs_engine_report *report;
    struct gs_gpu_proof proof;
    cudaEvent_t events[EVENTS];
};

static enum gs_status open_block(struct block *block, uint32_t n, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    GS_CUDA_TRY(cudaMalloc((void **)&block->keys, (size_t)n * sizeof *block->keys));
    GS_CUDA_TRY(cudaMalloc((void **)&block->report, sizeof *block->report));
    for (int i = 0; i < EVENTS; i++)
        GS_CUDA_TRY(cudaEventCreate(&block->events[i]));
cleanup:
    return st;
}

static void close_block(struct block *block)
{
    for (int i = 0; i < EVENTS; i++)
        if (block->events[i] != NULL)
            cudaEventDestroy(block->events[i]);
    gs_gpu_proof_close(&block->proof);
    cudaFree(block->keys);
    cudaFree(block->report);
    (void)cudaGetLastError(); /* for example of a lost device: the next user starts afresh */
}

/* Account for `part` of the time between event `from` and the next. */
static enum gs_status account(struct gs_run *run, enum gs_stage stage, const struct block *block,
                              int from, double part, uint64_t bytes_per_key, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t n = run->plan.count;
    float ms = 0;
    GS_CUDA_TRY(cudaEventElapsedTime(&ms, block->events[from], block->events[from + 1]));
    gs_run_account(run, stage, GS_DEVICE_GPU, (uint64_t)((double)gs_gpu_ns(ms) * part), n,
                   n * bytes_per_key);
cleanup:
    return st;
}

static enum gs_status account_all(struct gs_run *run, const struct block *block,
                                  const struct gs_engine_report *report, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t read_and_write = (uint64_t)2 * GS_KEY_BYTES;
    double all = (double)(report->sort_cycles + report->merge_cycles);
    double sort = all > 0 ? (double)report->sort_cycles / all : 1;
    GS_TRY(account(run, GS_STAGE_UPLOAD, block, BEGUN, 1, GS_KEY_BYTES, err));
    GS_TRY(account(run, GS_STAGE_SORT_LISTS, block, UPLOADED, sort, read_and_write, err));
    GS_TRY(account(run, GS_STAGE_MERGE_LISTS, block, UPLOADED, 1 - sort, read_and_write, err));
    GS_TRY(account(run, GS_STAGE_DOWNLOAD, block, SORTED, 1, GS_KEY_BYTES, err));
    run->stats->varying_bits = (unsigned)__builtin_popcountll(report->varying);
cleanup:
    return st;
}

/* Sort the keys: at least one, and no more than fit. */
static enum gs_status sort_keys(struct gs_run *run, gs_key *keys, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct block block = {.keys = NULL};
    struct gs_engine_report report;
    uint32_t n = (uint32_t)run->plan.count;
    uint32_t lists = (uint32_t)run->stats->lists;
    enum gs_list_merge merge = gs_engine_list_merge(run->options->engine);
    size_t bytes = (size_t)n * sizeof *keys;
    GS_TRY(open_block(&block, n, err));
    if (run->options->verify)
        GS_TRY(gs_gpu_proof_open(&block.proof, 1, err));
    GS_CUDA_TRY(gs_engine_block_load(merge, lists, n));
    GS_CUDA_TRY(cudaEventRecord(block.events[BEGUN], NULL));
    GS_CUDA_TRY(cudaMemcpyAsync(block.keys, keys, bytes, cudaMemcpyHostToDevice, NULL));
    GS_TRY(gs_gpu_proof_arrived(&block.proof, block.keys, n, NULL, err));
    GS_CUDA_TRY(cudaEventRecord(block.events[UPLOADED], NULL));
    GS_CUDA_TRY(gs_engine_block_sort(merge, lists, block.keys, block.keys, n, block.report, NULL));
    GS_CUDA_TRY(cudaEventRecord(block.events[SORTED], NULL));
    GS_CUDA_TRY(cudaMemcpyAsync(keys, block.keys, bytes, cudaMemcpyDeviceToHost, NULL));
    GS_CUDA_TRY(cudaEventRecord(block.events[FETCHED], NULL));
    GS_CUDA_TRY(
        cudaMemcpyAsync(&report, block.report, sizeof report, cudaMemcpyDeviceToHost, NULL));
    GS_CUDA_TRY(cudaStreamSynchronize(NULL));
    GS_TRY(gs_gpu_proof_sorted(&block.proof, block.keys, n, run->fingerprint, NULL, err));
    GS_TRY(account_all(run, &block, &report, err));
cleanup:
    close_block(&block);
    return st;
}

enum gs_status gs_engine_sort_keys_gpu(struct gs_run *run, gs_key *keys, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_gpu_device device;
    const struct gs_options *options = run->options;
    uint64_t n = run->plan.count;
    char where[GS_GPU_NAME_BYTES + 8];
    GS_TRY(gs_gpu_wait(&device, err));
    run->stats->device_text = device.name;
    gs_run_account(run, GS_STAGE_START, GS_DEVICE_GPU, device.start_ns, 0, 0);
    snprintf(where, sizeof where, " on %s", device.name);
    GS_TRY(gs_engine_check_count(options->engine, n, GS_LISTS_CAPACITY(device.block_bytes), where,
                                 err));
    run->stats->lists =
        options->lists > 0 ? options->lists : gs_engine_default_lists(GS_DEVICE_GPU, (uint32_t)n);
    if (n > 0)
        GS_TRY(sort_keys(run, keys, err));
cleanup:
    return st;
}
