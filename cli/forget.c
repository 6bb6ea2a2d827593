/* forget.c -- mapped input leaves the page table when it has been distributed, by a thread.
 * SPDX-License-Identifier: MIT
 */
#include "cli/forget.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Forgotten at once: other threads that change the address space wait that long. */
#define UNIT_BYTES ((uint64_t)4 << 20)

/* Pages are at most that large on any processor that Linux runs on. */
#define PAGE_BYTES_MAX ((uint64_t)1 << 16)

/* Threads read what they have claimed, in ascending order: so far behind as many keys as are done
 * hardly any is still to be read. */
#define BEHIND_BYTES ((uint64_t)32 << 20)

#define POLL_NS 1000000

struct gs_forget {
    const struct gs_inputs *inputs;
    const struct gs_progress *progress;
    uint64_t bytes; /* forgotten so far, of all inputs as they follow each other */
    atomic_bool stops;
    pthread_t thread;
};

/* Bytes [first, end) of an input. */
static void forget_part(const struct gs_input *input, uint64_t first, uint64_t end)
{
    if (input->mapping == NULL || first >= end)
        return;
    /* The mapping may begin before the input does. */
    uint64_t skew = (uint64_t)((const char *)input->bytes - (const char *)input->mapping);
    uint64_t from = (first + skew) / PAGE_BYTES_MAX * PAGE_BYTES_MAX;
    madvise((char *)input->mapping + from, end + skew - from, MADV_DONTNEED);
}

/* One unit more. */
static void forget_unit(struct gs_forget *forget)
{
    uint64_t before = 0; /* bytes of earlier inputs */
    uint64_t end = forget->bytes + UNIT_BYTES;
    for (size_t i = 0; i < forget->inputs->count && before < end; i++) {
        const struct gs_input *input = &forget->inputs->list[i];
        uint64_t first = forget->bytes > before ? forget->bytes - before : 0;
        forget_part(input, first, end - before < input->size ? end - before : input->size);
        before += input->size;
    }
    forget->bytes = end;
}

static bool in_phase(const struct gs_progress *progress, enum gs_stage stage)
{
    const char *phase = atomic_load(&progress->phase);
    return phase != NULL && strcmp(phase, gs_stage_name(stage)) == 0;
}

static void *follow(void *argument)
{
    struct gs_forget *forget = argument;
    const struct timespec poll = {.tv_nsec = POLL_NS};
    const uint64_t all = gs_inputs_bytes(forget->inputs);
    while (forget->bytes < all && !atomic_load(&forget->stops)) {
        uint64_t done = 0;
        if (in_phase(forget->progress, GS_STAGE_SCATTER))
            done = atomic_load(&forget->progress->done) * GS_KEY_BYTES;
        if (in_phase(forget->progress, GS_STAGE_SORT_BINS))
            done = all + BEHIND_BYTES;
        if (forget->bytes + BEHIND_BYTES < done)
            forget_unit(forget);
        else
            nanosleep(&poll, NULL);
    }
    return NULL;
}

struct gs_forget *gs_forget_start(const struct gs_inputs *inputs,
                                  const struct gs_progress *progress)
{
    struct gs_forget *forget = calloc(1, sizeof *forget);
    if (forget == NULL)
        return NULL;
    forget->inputs = inputs;
    forget->progress = progress;
    if (pthread_create(&forget->thread, NULL, follow, forget) == 0)
        return forget;
    free(forget);
    return NULL;
}

void gs_forget_stop(struct gs_forget *forget)
{
    if (forget == NULL)
        return;
    atomic_store(&forget->stops, true);
    pthread_join(forget->thread, NULL);
    free(forget);
}
