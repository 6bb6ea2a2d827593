/* run.c -- book the work of a run's stages.
 * SPDX-License-Identifier: MIT
 */
#include "sort/run/run.h"

#include "common/clock.h"

void gs_run_account(struct gs_run *run, enum gs_stage stage, enum gs_device device, uint64_t ns,
                    uint64_t keys, uint64_t bytes)
{
    const struct gs_stage_stats *row = &run->stats->stages[stage];
    uint64_t now = gs_now_ns();
    uint64_t begin = now - ns;
    if (row->begin_ns != 0 && row->begin_ns < begin)
        begin = row->begin_ns;
    gs_run_account_at(run, stage, device, ns, begin, now);
    gs_run_add(run, stage, keys, bytes);
}

void gs_run_add(struct gs_run *run, enum gs_stage stage, uint64_t keys, uint64_t bytes)
{
    run->stats->stages[stage].keys += keys;
    run->stats->stages[stage].bytes += bytes;
}

void gs_run_account_at(struct gs_run *run, enum gs_stage stage, enum gs_device device, uint64_t ns,
                       uint64_t begin_ns, uint64_t end_ns)
{
    struct gs_stage_stats *row = &run->stats->stages[stage];
    row->ns += ns;
    if (row->device == GS_DEVICE_AUTO || begin_ns < row->begin_ns)
        row->begin_ns = begin_ns;
    if (end_ns > row->end_ns)
        row->end_ns = end_ns;
    row->device = device;
}

void gs_run_begin(struct gs_run *run, enum gs_stage stage)
{
    if (run->stats->stages[stage].begin_ns == 0)
        run->stats->stages[stage].begin_ns = gs_now_ns();
}

void gs_run_phase(struct gs_run *run, enum gs_stage stage, uint64_t total)
{
    gs_run_begin(run, stage);
    gs_progress_enter(run->progress, gs_stage_name(stage), total);
}

void gs_run_describe(struct gs_run *run)
{
    struct gs_stats *stats = run->stats;
    if (stats->stages[GS_STAGE_WRITE].device != GS_DEVICE_AUTO)
        stats->stages[GS_STAGE_WRITE].begin_ns = run->emitter.begin_ns;
    stats->keys_in = run->plan.count;
    stats->keys_out = run->emitter.position;
    stats->fingerprint = run->fingerprint - run->emitter.dropped_sum;
    stats->threads = run->plan.threads;
    stats->memory_bytes = run->plan.memory_bytes;
}

void gs_run_describe_bins(struct gs_run *run)
{
    struct gs_stats *stats = run->stats;
    for (uint32_t bin = 0; bin < gs_run_bins(run); bin++) {
        uint64_t count = run->counts[bin];
        if (count == 0)
            continue;
        stats->bins++;
        if (gs_splitters_equal(&run->splitters, bin)) {
            stats->equality_bins++;
            stats->equality_keys += count;
        } else if (count > stats->largest_bin) {
            stats->largest_bin = count;
        }
    }
}

uint64_t gs_run_take_bins(const struct gs_run *run, uint32_t *next, uint64_t most, uint32_t *low,
                          uint32_t *high)
{
    uint64_t count = 0;
    const uint32_t first = *next;
    for (; *next < gs_run_bins(run); ++*next) {
        uint64_t more = run->counts[gs_run_bin_at(run, *next)];
        if (count > 0 && count + more > most)
            break;
        count += more;
    }
    *low = gs_run_bin_at(run, run->options->reverse ? *next - 1 : first);
    *high = gs_run_bin_at(run, run->options->reverse ? first : *next - 1);
    return count;
}

void gs_prefix_sum_scan(const uint64_t *counts, uint64_t *offsets, uint32_t bins, bool reverse)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < bins; i++) {
        uint32_t bin = reverse ? bins - 1 - i : i;
        offsets[bin] = sum;
        sum += counts[bin];
    }
}
