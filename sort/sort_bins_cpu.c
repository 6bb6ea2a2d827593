/* sort_bins_cpu.c -- sort every bin in cache and hand it out from there.
 * SPDX-License-Identifier: MIT
 */
#include "sort/sort_bins.h"
#include "sort/cache_sort.h"
#include "sort/stages_cpu.h"

#include "common/clock.h"

/* Hand out `count` copies of one key, a scratch array full at a time. */
static enum gs_status emit_equal(struct gs_run *run, uint64_t piece, gs_key key, uint64_t count,
                                 uint64_t planned, gs_key *scratch, struct gs_work *work)
{
    uint64_t kept = run->options->unique && count > 0 ? 1 : count;
    uint64_t block = kept < GS_TILE_KEYS ? kept : GS_TILE_KEYS;
    uint64_t position;
    for (uint64_t i = 0; i < block; i++)
        scratch[i] = key;
    if (run->options->verify)
        gs_emit_drop(&run->emitter, gs_fingerprint(&key, 1) * (count - kept));
    enum gs_status st = gs_emit_begin(&run->emitter, piece, kept, planned, &position);
    if (st != GS_OK)
        return st;
    uint64_t start = gs_now_ns();
    for (uint64_t done = 0; done < kept && st == GS_OK; done += block) {
        uint64_t here = kept - done < block ? kept - done : block;
        st = gs_emit_write(&run->emitter, scratch, here, position + done);
    }
    work->write_ns += gs_now_ns() - start;
    gs_emit_end(&run->emitter, piece);
    work->keys_out += kept;
    return st;
}

enum gs_status gs_finish_bin_cpu(struct gs_run *run, uint32_t bin, uint64_t piece, gs_key *scratch,
                                 struct gs_work *work)
{
    struct gs_cpu *cpu = run->device;
    uint64_t count = run->counts[bin];
    uint64_t offset = run->offsets[bin];
    gs_key low = gs_splitters_low(&run->splitters, bin);
    gs_key high = gs_splitters_high(&run->splitters, bin);
    if (low == high)
        return emit_equal(run, piece, low, count, offset, scratch, work);
    uint64_t start = gs_now_ns();
    gs_key *sorted = gs_cache_sort(cpu->bins + offset, scratch, count, low, high);
    uint64_t kept = gs_emit_shape(&run->emitter, sorted, count);
    work->sort_ns += gs_now_ns() - start;
    work->keys_in += count;
    return gs_work_emit(run, piece, sorted, kept, offset, work);
}

enum gs_status gs_sort_bins_cpu(struct gs_run *run, struct gs_error *err)
{
    struct gs_cpu *cpu = run->device;
    uint32_t bins = gs_run_bins(run);
    atomic_uint_fast64_t next = 0;
#pragma omp parallel num_threads(run->plan.threads)
    {
        struct gs_work work = {0};
        gs_key *scratch = cpu->scratch + (size_t)gs_cpu_thread() * GS_CACHE_SORT_SCRATCH;
        for (uint64_t piece; (piece = atomic_fetch_add(&next, 1)) < bins;) {
            uint32_t bin = gs_run_bin_at(run, (uint32_t)piece);
            if (gs_finish_bin_cpu(run, bin, piece, scratch, &work) != GS_OK)
                break;
            atomic_fetch_add_explicit(&run->progress->done, run->counts[bin], memory_order_relaxed);
        }
        gs_work_account(run, &work, run->plan.threads);
    }
    return gs_emit_result(&run->emitter, err);
}

enum gs_status gs_sort_one_bin_cpu(struct gs_run *run, struct gs_error *err)
{
    struct gs_cpu *cpu = run->device;
    struct gs_work work = {0};
    uint64_t start = gs_now_ns();
    uint64_t count = run->plan.count;
    gs_tiles_copy(&run->tiles, 0, count, cpu->bins);
    /* The copy, not the input: what is sorted is what was read. */
    run->fingerprint = run->options->verify ? gs_fingerprint(cpu->bins, count) : 0;
    gs_key *sorted = gs_cache_sort(cpu->bins, cpu->scratch, count, 0, GS_KEY_MAX);
    uint64_t kept = gs_emit_shape(&run->emitter, sorted, count);
    work.sort_ns = gs_now_ns() - start;
    work.keys_in = count;
    gs_work_emit(run, 0, sorted, kept, 0, &work);
    gs_work_account(run, &work, 1);
    return gs_emit_result(&run->emitter, err);
}
