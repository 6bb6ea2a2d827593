/* pace_look.c -- how fast fresh memory and the disks are just now, by a short look.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/pace_look.h"

#include "sort/files/ahead.h"
#include "common/clock.h"
#include "common/files/direct_file.h"
#include "common/files/output.h"
#include "common/memory/memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define TOUCH_BYTES ((uint64_t)64 << 20)

/* Reads past the page cache, at places far from each other, and writes: as large as a run's own. */
#define READ_BYTES ((size_t)4 << 20)
#define READS      8

/* Other programs' turns on this processor do not count. */
static double thread_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double touch_seconds(void)
{
    const uint64_t available = gs_memory_available() / 4; /* little in a small control group */
    const uint64_t bytes = available < TOUCH_BYTES ? available : TOUCH_BYTES;
    const double start = thread_seconds();
    volatile char *pages = gs_pages_alloc(bytes);
    if (pages == NULL)
        return 0;
    for (uint64_t at = 0; at < bytes; at += 4096)
        pages[at] = 1;
    const double seconds = thread_seconds() - start;
    gs_pages_free((void *)(uintptr_t)pages, bytes);
    return bytes > 0 ? seconds / (double)bytes : 0;
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

/* As a run writes that waits for the disk: through the page cache, a few pieces at a time. */
static double write_seconds(const char *name)
{
    struct gs_output output;
    struct gs_error err = {.status = GS_OK};
    double seconds = 0;
    char *piece = calloc(1, READ_BYTES);
    if (piece == NULL || gs_output_open(&output, name, &err) != GS_OK) {
        free(piece);
        return 0;
    }
    const uint64_t start = gs_now_ns();
    bool written = output.kind == GS_OUTPUT_TEMPORARY;
    for (uint64_t i = 0; i < READS && written; i++)
        written =
            pwrite(output.fd, piece, READ_BYTES, (off_t)(i * READ_BYTES)) == (ssize_t)READ_BYTES &&
            fdatasync(output.fd) == 0;
    if (written)
        seconds = (double)(gs_now_ns() - start) / 1e9 / (double)(READS * READ_BYTES);
    gs_output_discard(&output);
    free(piece);
    return seconds;
}

struct gs_pace_look gs_pace_look(const struct gs_inputs *inputs, const char *output)
{
    struct gs_pace_look look = {.fresh = touch_seconds(),
                                .written = output != NULL ? write_seconds(output) : 0};
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
