/* thread_limit.c -- how many threads a run may start.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/thread_limit.h"

#include "common/memory/control_group.h"
#include "common/memory/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

/* What each thread has in hand: rows to scatter, tables, a piece to write. */
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

void gs_limit_threads(struct gs_task *task)
{
    uint64_t threads = gs_threads(&task->sort);
    uint64_t most = threads;
    uint64_t left = gs_buffer_space_left();
    if (left != UINT64_MAX)
        most = 1 + left / 4 / (gs_stack_bytes() + THREAD_BUFFERS); /* one has its stack already */
    most = most_by_number(most < threads ? most : threads);
    if (threads > most)
        task->sort.threads = (unsigned)most;
}
