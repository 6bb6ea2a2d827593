/* types.c -- names of enumerations, progress, rows of statistics, the number of threads.
 * SPDX-License-Identifier: MIT
 */
#include "sort/types/types.h"
#include "sort/types/limits.h"

#include "common/clock.h"
#include "common/memory/processors.h"

const char *gs_engine_name(enum gs_engine engine)
{
    static const char *const names[] = {"auto", "samplesort", "atomicmin", "reduction", "hybrid"};
    return names[engine];
}

const char *gs_device_name(enum gs_device device)
{
    static const char *const names[] = {"auto", "cpu", "gpu"};
    return names[device];
}

const char *gs_stage_name(enum gs_stage stage)
{
    static const char *const names[GS_STAGES] = {
        "start",       "read",       "select samples", "sort samples", "upload",
        "count bins",  "prefix sum", "scatter",        "sort bins",    "sort lists",
        "merge lists", "download",   "write",          "verify"};
    return names[stage];
}

void gs_progress_enter(struct gs_progress *progress, const char *name, uint64_t total)
{
    atomic_store(&progress->done, 0);
    atomic_store(&progress->total, total);
    atomic_store(&progress->begin_ns, gs_now_ns());
    atomic_store(&progress->phase, name);
}

enum gs_status gs_progress_check(const struct gs_progress *progress, struct gs_error *err)
{
    if (!atomic_load_explicit(&progress->cancelled, memory_order_relaxed))
        return GS_OK;
    return gs_fail(err, GS_ERR_CANCELLED, 0, "cancelled");
}

struct gs_stage_stats gs_stage_since(uint64_t begin_ns, uint64_t keys, uint64_t bytes)
{
    uint64_t end_ns = gs_now_ns();
    return (struct gs_stage_stats){.ns = end_ns - begin_ns,
                                   .begin_ns = begin_ns,
                                   .end_ns = end_ns,
                                   .bytes = bytes,
                                   .keys = keys,
                                   .device = GS_DEVICE_CPU};
}

void gs_stage_add(struct gs_stage_stats *row, const struct gs_stage_stats *more)
{
    if (more->device == GS_DEVICE_AUTO)
        return;
    if (row->device == GS_DEVICE_AUTO || more->begin_ns < row->begin_ns)
        row->begin_ns = more->begin_ns;
    if (more->end_ns > row->end_ns)
        row->end_ns = more->end_ns;
    row->ns += more->ns;
    row->bytes += more->bytes;
    row->keys += more->keys;
    row->device = more->device;
}

unsigned gs_threads(const struct gs_options *options)
{
    if (options->threads > 0)
        return options->threads;
    const unsigned processors = gs_processors();
    return processors < GS_THREADS_DEFAULT ? processors : GS_THREADS_DEFAULT;
}
