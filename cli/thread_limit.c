/* thread_limit.c -- how many threads a run may start, and whether their stacks are large enough.
 * SPDX-License-Identifier: MIT
 */
#include "cli/thread_limit.h"

#include "common/memory/control_group.h"
#include "common/memory/memory.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

/* A stack large enough for any sort: a bin's tables take 124 KiB, and the command line and the
 * environment up to 128 KiB of the first thread's stack. 144 KiB, or 224 KiB with an environment of
 * 110 KiB, were too few. */
#define STACK_BYTES_LEAST (UINT64_C(320) << 10)

/* Stacks where address space or data is limited: those of the usual 8 MiB, of threads that come and
 * go beside the sort's, would take what its buffers need. */
#define STACK_BYTES_LIMITED ((size_t)1 << 20)

/* And what each thread has in hand: rows to scatter, tables, a piece to write. */
#define THREAD_BUFFERS ((uint64_t)2 << 20)

/* A limit on the user's processes and threads (ulimit -u) below this may be too low for ours. */
#define PROCESSES_ENOUGH 4096

/* Threads besides the sort's: they read, make pages and show progress. */
#define THREADS_BESIDE 3

static void *wait_at(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* How many threads can be started besides the first, up to `wanted`. There is no way to ask how
 * many others the user has, so start them. */
static uint64_t try_threads(uint64_t wanted)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *threads = calloc(wanted, sizeof *threads);
    uint64_t started = 0;
    if (threads == NULL)
        return 0;
    pthread_mutex_lock(&gate);
    while (started < wanted && pthread_create(&threads[started], NULL, wait_at, &gate) == 0)
        started++;
    pthread_mutex_unlock(&gate);
    for (uint64_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    return started;
}

/* How many more processes and threads a control group permits; "max" is no limit. */
static void visit_group(const char *directory, bool version2, void *context)
{
    uint64_t *least = context;
    int64_t most;
    int64_t now;
    (void)version2;
    if (!gs_control_group_read(directory, "pids.max", 1, &most) ||
        !gs_control_group_read(directory, "pids.current", 1, &now))
        return;
    uint64_t left = most > now ? (uint64_t)(most - now) : 0;
    *least = left < *least ? left : *least;
}

/* How many of the `wanted` threads for the sort the limits on their number permit. */
static uint64_t most_by_number(uint64_t wanted)
{
    struct rlimit limit;
    uint64_t left = UINT64_MAX;
    if (wanted == 1)
        return wanted;
    gs_control_groups("pids", visit_group, &left);
    bool limited = getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur < PROCESSES_ENOUGH;
    if (!limited && left >= wanted - 1 + THREADS_BESIDE)
        return wanted;
    uint64_t started = try_threads(wanted - 1 + THREADS_BESIDE);
    return started > THREADS_BESIDE ? started + 1 - THREADS_BESIDE : 1;
}

/* Let no thread that is started from now on have a larger stack. */
static void limit_stacks(size_t bytes)
{
    pthread_attr_t attributes;
    if (gs_stack_bytes() <= bytes || pthread_attr_init(&attributes) != 0)
        return;
    if (pthread_attr_setstacksize(&attributes, bytes) == 0)
        (void)pthread_setattr_default_np(&attributes);
    (void)pthread_attr_destroy(&attributes);
}

void gs_limit_threads(struct gs_command *command)
{
    uint64_t threads = gs_threads(&command->sort);
    uint64_t most = threads;
    uint64_t left = gs_buffer_space_left();
    if (left != UINT64_MAX) {
        limit_stacks(STACK_BYTES_LIMITED);
        most = 1 + left / 4 / (gs_stack_bytes() + THREAD_BUFFERS); /* one has its stack already */
    }
    most = most_by_number(most < threads ? most : threads);
    if (threads > most)
        command->sort.threads = (unsigned)most;
}

enum gs_status gs_check_stack(struct gs_error *err)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_BYTES_LEAST)
        return GS_OK;
    return gs_fail(err, GS_ERR_MEMORY, 0,
                   "stacks of %" PRIu64 " KiB (ulimit -s) are too small: "
                   "%" PRIu64 " are needed",
                   (uint64_t)limit.rlim_cur / 1024, STACK_BYTES_LEAST / 1024);
}
