/* ahead.c -- start what takes long before it is needed: a GPU, the output's pages, a slow disk.
 * SPDX-License-Identifier: MIT
 *
 * On the CPU all threads are busy from the first moment on, and making pages ahead would only take
 * from them: but not while a pipe is read, which takes one. (A sort that will write in place has
 * them made when it knows that: see output_sink.c.)
 */
#include "cli/ahead.h"

#include "common/memory.h"

#include <sys/mman.h>
#include <unistd.h>

/* From so many on, some are to spare for pages: beside the writer of a pipe and its reader, or
 * beside those that sort. */
#define SPARE_THREADS 4

bool gs_reads_with_help(const struct gs_options *options)
{
    return gs_threads(options) >= SPARE_THREADS;
}

unsigned gs_threads_for_pages(const struct gs_options *options, bool idle)
{
    unsigned threads = gs_threads(options);
    if (threads < SPARE_THREADS) /* all others wait */
        return threads;
    return idle ? threads / 2 : threads / 4;
}

/* A pipe that brings fewer bytes in a millisecond leaves even two processors idle, one of which may
 * be its writer's: reading them, taking keys to bins and making pages takes one 1.1 ms. And after
 * so many it is known. */
#define SLOW_BYTES 600000
#define SLOW_AFTER ((uint64_t)64 << 20)

/* Does a pipe's reader wait for its writer? */
static bool is_slow(uint64_t bytes, uint64_t read_ns)
{
    return bytes >= SLOW_AFTER && bytes / SLOW_BYTES < read_ns / 1000000;
}

void gs_start_ahead(const struct gs_options *options, uint64_t bytes, struct gs_output *output,
                    uint64_t read_ns)
{
    bool reading = read_ns > 0;
    bool idle = reading && (gs_reads_with_help(options) || is_slow(bytes, read_ns));
    if (gs_prepare(options, bytes / GS_KEY_BYTES, reading) == GS_DEVICE_GPU)
        idle = true;
    if (idle && output != NULL)
        gs_output_prefill(output, bytes - bytes % GS_KEY_BYTES,
                          gs_threads_for_pages(options, true));
}

/* Less is read at once, whatever the order. */
#define FETCH_BYTES_MIN ((size_t)4 << 20)

/* The kernel reads no more at a time, by default. */
#define FETCH_BYTES ((size_t)128 << 10)

/* Places that are looked at: if all are in memory, nearly everything is. */
#define FETCH_PLACES 64

/* Is any of some pages of the file not in memory? Of files that are not the user's own the kernel
 * does not tell. */
static bool is_on_disk(const struct gs_input *input)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t pages = input->mapping_bytes / page;
    for (size_t i = 0; i < FETCH_PLACES; i++) {
        unsigned char there = 1;
        char *at = (char *)input->mapping + pages / FETCH_PLACES * i * page;
        if (mincore(at, page, &there) == 0 && (there & 1) == 0)
            return true;
    }
    return false;
}

/* Has memory room for all inputs, and what is done with them? */
static bool has_room(const struct gs_inputs *inputs)
{
    return gs_inputs_bytes(inputs) <= gs_memory_available() / 3;
}

uint64_t gs_fetch_inputs(const struct gs_inputs *inputs)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gs_input *input = &inputs->list[i];
        size_t bytes = input->mapping == NULL ? 0 : input->mapping_bytes;
        /* Asked for last: it takes a tenth of the time of a small sort. */
        if (bytes < FETCH_BYTES_MIN || !is_on_disk(input) || !has_room(inputs))
            continue;
        for (size_t at = 0; at < bytes; at += FETCH_BYTES)
            gs_pages_advise((char *)input->mapping + at,
                            bytes - at < FETCH_BYTES ? bytes - at : FETCH_BYTES, MADV_WILLNEED);
        sum += bytes;
    }
    return sum;
}
