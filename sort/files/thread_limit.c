/* thread_limit.c -- how many threads a run may start.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/thread_limit.h"

#include "common/memory/memory.h"

/* What each thread has in hand: rows to scatter, tables, a piece to write. */
#define THREAD_BUFFERS ((uint64_t)2 << 20)

void gs_limit_threads(struct gs_task *task)
{
    uint64_t threads = gs_threads(&task->sort);
    uint64_t most = threads;
    uint64_t left = gs_buffer_space_left();
    if (left != UINT64_MAX)
        most = 1 + left / 4 / (gs_stack_bytes() + THREAD_BUFFERS); /* one has its stack already */
    if (threads > most)
        task->sort.threads = (unsigned)most;
}
