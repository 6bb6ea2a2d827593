/* pace_look.c -- how fast fresh memory and the inputs' disk are just now, by a short look.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/pace_look.h"

#include "sort/files/ahead.h"
#include "common/clock.h"
#include "common/files/direct_file.h"
#include "common/memory/memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define TOUCH_BYTES ((uint64_t)64 << 20)

/* Reads past the page cache, at places far from each other: as large as a run's own. */
#define READ_BYTES ((size_t)4 << 20)
#define READS      8

static double touch_seconds(void)
{
    const uint64_t start = gs_now_ns();
    volatile char *pages = gs_pages_alloc(TOUCH_BYTES);
    if (pages == NULL)
        return 0;
    for (uint64_t at = 0; at < TOUCH_BYTES; at += 4096)
        pages[at] = 1;
    const uint64_t end = gs_now_ns();
    gs_pages_free((void *)(uintptr_t)pages, TOUCH_BYTES);
    return (double)(end - start) / 1e9 / (double)TOUCH_BYTES;
}

static double read_seconds(const struct gs_input *input)
{
    uint64_t sum = 0;
    uint64_t ns = 0;
    void *buffer = aligned_alloc(GS_DIRECT_BLOCK, READ_BYTES);
    int fd = open(input->name, O_RDONLY | O_DIRECT | O_CLOEXEC);
    for (uint64_t i = 0; i < READS && buffer != NULL && fd >= 0; i++) {
        const uint64_t place = input->mapping_bytes / READS * i;
        const uint64_t start = gs_now_ns();
        const ssize_t got = pread(fd, buffer, READ_BYTES, (off_t)(place - place % GS_DIRECT_BLOCK));
        ns += gs_now_ns() - start;
        sum += got > 0 ? (uint64_t)got : 0;
    }
    if (fd >= 0)
        close(fd);
    free(buffer);
    return sum > 0 ? (double)ns / 1e9 / (double)sum : 0;
}

struct gs_pace_look gs_pace_look(const struct gs_inputs *inputs)
{
    struct gs_pace_look look = {.fresh = touch_seconds()};
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gs_input *input = &inputs->list[i];
        if (input->mapping == NULL || !gs_input_is_cold(input))
            continue;
        if (look.cold_bytes == 0)
            look.disk = read_seconds(input);
        look.cold_bytes += input->size;
    }
    return look;
}
