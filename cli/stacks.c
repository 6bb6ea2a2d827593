/* stacks.c -- are the stacks of threads large enough, and no larger than there is room for?
 * SPDX-License-Identifier: MIT
 */
#include "cli/stacks.h"

#include "common/memory/memory.h"

#include <inttypes.h>
#include <pthread.h>
#include <sys/resource.h>

/* A stack large enough for any sort: a bin's tables take 124 KiB, and the command line and the
 * environment up to 128 KiB of the first thread's stack. 144 KiB, or 224 KiB with an environment of
 * 110 KiB, were too few. */
#define STACK_BYTES_LEAST (UINT64_C(320) << 10)

/* Stacks where address space or data is limited: those of the usual 8 MiB, of threads that come and
 * go beside the sort's, would take what its buffers need. */
#define STACK_BYTES_LIMITED ((size_t)1 << 20)

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

void gs_limit_stacks(void)
{
    if (gs_buffer_space_left() != UINT64_MAX)
        limit_stacks(STACK_BYTES_LIMITED);
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
