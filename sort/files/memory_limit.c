/* memory_limit.c -- how much memory and address space a run may use.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/memory_limit.h"

#include "sort/files/combine.h"
#include "common/files/dirty.h"
#include "common/memory/memory.h"

#include <libgen.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Whatever -S says, so many bytes of keys can be sorted in memory, from a pipe, too, and so many
 * records of any size. */
#define SMALL_BYTES   (UINT64_C(400) << 10)
#define SMALL_RECORDS 192

/* Memory to leave for other uses than the sort's buffers: file buffers and libraries. */
#define GS_BESIDE (UINT64_C(32) << 20)

/* Bytes that are enough for a thread to do. */
#define THREAD_BYTES (UINT64_C(1) << 20)

/* The stacks of all threads but the first, if address space or data is limited; otherwise they do
 * not count, since they touch hardly any memory. */
static uint64_t stacks(const struct gs_task *task)
{
    if (gs_buffer_space_left() == UINT64_MAX)
        return 0;
    return (uint64_t)(gs_threads(&task->sort) - 1) * gs_stack_bytes();
}

uint64_t gs_memory_buffers(const struct gs_options *options, uint64_t keys)
{
    struct gs_forecast forecast;
    gs_width(options)->forecast(options, keys, &forecast);
    return forecast.memory_bytes;
}

/* A tag has 16 bytes, however narrow the records. */
uint64_t gs_memory_least(const struct gs_options *options)
{
    struct gs_options one = *options;
    one.threads = 1;
    const unsigned bytes = gs_record_bytes(&one);
    const unsigned tagged = bytes < 4 ? 4 : bytes < one.key_bytes ? bytes : one.key_bytes;
    const uint64_t keys = SMALL_BYTES / (one.records != NULL ? tagged : one.key_bytes);
    const uint64_t few = (uint64_t)SMALL_RECORDS * bytes;
    const uint64_t least = gs_memory_buffers(&one, keys) + (few > SMALL_BYTES ? few : SMALL_BYTES);
    return one.records != NULL ? least + least / 4 : least; /* and samples of runs */
}

static uint64_t subtract(uint64_t from, uint64_t bytes)
{
    return from > bytes ? from - bytes : 0;
}

/* Is the output a file on tmpfs, or will it be one? If that cannot be found out, it is not. */
static bool output_in_memory(const char *name)
{
    struct stat status;
    struct statfs fs;
    char directory[PATH_MAX];
    bool there = (name == NULL ? fstat(STDOUT_FILENO, &status) : stat(name, &status)) == 0;
    if (there ? !S_ISREG(status.st_mode) : name == NULL)
        return false;
    if (name == NULL)
        return fstatfs(STDOUT_FILENO, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
    snprintf(directory, sizeof directory, "%s", name);
    return statfs(there ? name : dirname(directory), &fs) == 0 && fs.f_type == TMPFS_MAGIC;
}

/* What an output in memory leaves of `bytes` for buffers: it takes output_bytes and, if inputs are
 * pending, half of the rest, since a pipe's keys are in buffers and in the output. */
static uint64_t beside_output(uint64_t bytes, uint64_t output_bytes, bool pending)
{
    uint64_t left = subtract(bytes, output_bytes);
    left = left > bytes / 4 ? left : bytes / 4;
    return pending ? left / 2 : left;
}

uint64_t gs_memory_limit(const struct gs_task *task, uint64_t keys, bool pending)
{
    uint64_t limit = task->memory_limit;
    if (limit == 0) {
        uint64_t available = gs_memory_available();
        uint64_t total = gs_memory_total();
        uint64_t beside = GS_BESIDE + stacks(task);
        limit = available < total ? available : total;
        limit = limit > 2 * beside ? limit - beside : limit / 2;
        if (output_in_memory(task->found.output))
            limit = beside_output(limit, keys * gs_written_bytes(&task->sort), pending);
        limit = limit / 4 * 3;
    }
    uint64_t least = gs_memory_least(&task->sort);
    return limit > least ? limit : least;
}

/* Forecast a sort, and tell whether it keeps to so many bytes. If address space is limited, all of
 * held_bytes counts: what was given back still takes address space. */
static bool fits(const struct gs_options *options, uint64_t bytes, uint64_t held_bytes,
                 uint64_t keys, struct gs_forecast *forecast)
{
    gs_width(options)->forecast(options, keys, forecast);
    if (gs_buffer_space_left() == UINT64_MAX)
        held_bytes = gs_forecast_held(forecast, held_bytes);
    return gs_forecast_fits(forecast, bytes, held_bytes);
}

bool gs_memory_fits(struct gs_options *options, uint64_t bytes, uint64_t held_bytes, uint64_t keys,
                    struct gs_forecast *forecast)
{
    struct gs_options fewer = *options;
    struct gs_forecast of_fewer;
    const uint64_t least = keys * gs_record_bytes(options) / THREAD_BYTES + 1;
    if (fits(options, bytes, held_bytes, keys, forecast))
        return true;
    for (fewer.threads = gs_threads(options); fewer.threads-- > least;)
        if (fits(&fewer, bytes, held_bytes, keys, &of_fewer)) {
            options->threads = fewer.threads;
            *forecast = of_fewer;
            return true;
        }
    return false;
}

enum gs_status gs_memory_check_external(const struct gs_options *options, uint64_t bytes,
                                        uint64_t keys, struct gs_error *err)
{
    const struct gs_width *calls = gs_width(options);
    return calls->check_external != NULL ? calls->check_external(options, bytes, keys, err) : GS_OK;
}

uint64_t gs_address_space_wanted(const struct gs_task *task, uint64_t keys, bool more)
{
    uint64_t most =
        task->memory_limit > 0 ? gs_memory_limit(task, keys, more) : gs_memory_least(&task->sort);
    uint64_t buffers = gs_memory_buffers(&task->sort, keys);
    return (more || buffers > most ? most : buffers) + GS_BESIDE + stacks(task);
}

/* What a control group is charged for besides buffers and dirty pages: libraries, kernel memory for
 * both, and what each thread has in hand, tables and a piece to write. 18 MiB with 16 threads. */
#define BESIDE_GROUP  (UINT64_C(8) << 20)
#define BESIDE_THREAD (UINT64_C(1) << 20)

/* With a lower limit, the disk would wait for the writers. */
#define DIRTY_MIN (UINT64_C(8) << 20)

/* Dirty pages are unbounded only if the group has room for this many times what will be written:
 * other processes of the group write, too, and the memory figures are already a moment old. */
#define ROOM_FACTOR 2

void gs_memory_bound_dirty(const struct gs_options *options, uint64_t memory_bytes,
                           uint64_t needed_bytes, uint64_t written_bytes)
{
    uint64_t left = gs_memory_group_left();
    if (left >= gs_memory_total())
        return;
    left = subtract(left, BESIDE_GROUP + gs_threads(options) * BESIDE_THREAD);
    uint64_t needed = needed_bytes < memory_bytes ? needed_bytes : memory_bytes;
    uint64_t dirty = subtract(left, memory_bytes) / 4 * 3;
    if (subtract(left, needed) / ROOM_FACTOR >= written_bytes)
        gs_dirty_limit(UINT64_MAX);
    else
        gs_dirty_limit(dirty > DIRTY_MIN ? dirty : DIRTY_MIN);
}

/* What each thread has in hand: rows to scatter, tables, a piece to write. */
#define THREAD_BUFFERS ((uint64_t)2 << 20)

void gs_limit_threads(struct gs_task *task)
{
    uint64_t threads = gs_threads(&task->sort);
    uint64_t most = threads;
    const uint64_t left = gs_buffer_space_left();
    const uint64_t group = gs_memory_group_left();
    if (left != UINT64_MAX)
        most = 1 + left / 4 / (gs_stack_bytes() + THREAD_BUFFERS); /* one has its stack already */
    if (group / 4 / BESIDE_THREAD < most)                          /* or it is killed */
        most = 1 + group / 4 / BESIDE_THREAD;
    if (threads > most)
        task->sort.threads = (unsigned)most;
}
