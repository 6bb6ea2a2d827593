/* ahead.c -- start slow things before they are needed: a GPU, the output's pages, disk reads.
 * SPDX-License-Identifier: MIT
 *
 * A sort on the CPU keeps all threads busy from the start, and making pages ahead would only take
 * time from them. Not so while a pipe is read, which takes one thread. (A sort that writes in place
 * has the pages made when it knows that it will: see output_sink.c.)
 */
#include "sort/files/ahead.h"

#include "common/memory/memory.h"

#include <sys/mman.h>
#include <unistd.h>

/* With at least this many threads, some can be spared to make pages: beside a pipe's writer and its
 * reader, or beside the threads that sort. */
#define SPARE_THREADS 4

bool gs_reads_with_help(const struct gs_options *options)
{
    return gs_threads(options) >= SPARE_THREADS;
}

unsigned gs_threads_for_pages(const struct gs_options *options, bool idle)
{
    unsigned threads = gs_threads(options);
    if (threads < SPARE_THREADS) /* all of them make pages, and the sort waits */
        return threads;
    return idle ? threads / 2 : threads / 4;
}

/* A pipe that brings fewer bytes than SLOW_BYTES a millisecond leaves even two processors partly
 * idle, one of which may be its writer's: reading that many, moving keys to their bins and making
 * pages takes one processor 1.1 ms. The rate counts once SLOW_AFTER bytes have come. */
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
    const struct gs_width *calls = gs_width(options);
    if (calls->prepare != NULL &&
        calls->prepare(options, bytes / gs_record_bytes(options), reading) == GS_DEVICE_GPU)
        idle = true;
    if (idle && output != NULL)
        gs_output_prefill(output, bytes / gs_record_bytes(options) * gs_output_bytes(options),
                          gs_threads_for_pages(options, true));
}

/* Smaller files are read fast enough in any order. */
#define FETCH_BYTES_MIN ((size_t)4 << 20)

/* By default, the kernel reads no more than this ahead at a time. */
#define FETCH_BYTES ((size_t)128 << 10)

/* Pages to probe: if all are in memory, nearly the whole file is. */
#define FETCH_PLACES 64

/* How many of the probed pages of the file are not in memory? For files that the user neither owns
 * nor may write, the kernel reports all as present. */
static unsigned count_on_disk(const struct gs_input *input)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t pages = input->mapping_bytes / page;
    unsigned count = 0;
    for (size_t i = 0; i < FETCH_PLACES; i++) {
        unsigned char there = 1;
        char *at = (char *)input->mapping + pages / FETCH_PLACES * i * page;
        count += mincore(at, page, &there) == 0 && (there & 1) == 0;
    }
    return count;
}

bool gs_input_is_cold(const struct gs_input *input)
{
    return input->mapping_bytes >= FETCH_BYTES_MIN && count_on_disk(input) > FETCH_PLACES / 2;
}

/* Is there memory for all inputs, a copy of them and the output? */
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
        /* has_room last: it takes a tenth of the time of a small sort. */
        if (bytes < FETCH_BYTES_MIN || count_on_disk(input) == 0 || !has_room(inputs))
            continue;
        for (size_t at = 0; at < bytes; at += FETCH_BYTES)
            gs_pages_advise((char *)input->mapping + at,
                            bytes - at < FETCH_BYTES ? bytes - at : FETCH_BYTES, MADV_WILLNEED);
        sum += bytes;
    }
    return sum;
}
