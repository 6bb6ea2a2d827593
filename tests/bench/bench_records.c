/* bench_records.c -- how fast records in memory are sorted, by width: medians.
 * SPDX-License-Identifier: MIT
 *
 * usage: bench_records [THREADS [BYTES...]]
 *
 * Prints GB/s, and nanoseconds a record and thread, for records of BYTES bytes (default 17 32 64
 * 100 1000) by a key of 10 bytes, 1 GB of them, from one array to another with THREADS threads
 * (default: all). Each figure is the median of 5 runs after one warm-up, on random records drawn
 * anew. The output is poisoned before each run, and each result checked: in order, and of the
 * input's fingerprint. The last line is a copy of 1 GB by the same threads.
 */
#include "common/clock.h"
#include "common/memory/memory.h"
#include "common/random.h"
#include "sort/types/record_order.h"
#include "sort/sort.h"
#include "tests/bench/median.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS  5
#define BYTES ((size_t)1000000000)

static void fill(char *to, uint64_t seed)
{
#pragma omp parallel for
    for (size_t i = 0; i < BYTES / 8; i++) {
        const uint64_t word = gs_random(seed, i);
        memcpy(to + 8 * i, &word, sizeof word);
    }
}

/* The sum of a hash of each record. */
static uint64_t fingerprint(const char *records, unsigned bytes, uint64_t count)
{
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (uint64_t i = 0; i < count; i++) {
        uint64_t hash = bytes;
        for (unsigned at = 0; at < bytes; at += 8) {
            uint64_t word = 0;
            memcpy(&word, records + i * bytes + at, bytes - at < 8 ? bytes - at : 8);
            hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
            hash ^= hash >> 32;
        }
        sum += hash;
    }
    return sum;
}

static uint64_t sort_once(const struct gs_options *options, const char *in, char *out, uint64_t n)
{
    struct gs_error err = {.status = GS_OK};
    const struct gs_span span = {.keys = in, .count = n, .name = "in"};
    struct gs_sink sink = {.memory = out};
    const uint64_t start = gs_now_ns();
    if (gs_width(options)->sort(options, &span, 1, &sink, NULL, NULL, &err) != GS_OK) {
        fprintf(stderr, "bench_records: %s\n", err.text);
        exit(1);
    }
    return gs_now_ns() - start;
}

static double time_of(const struct gs_options *options, char *in, char *out)
{
    uint64_t ns[RUNS];
    const unsigned bytes = options->format->record_bytes;
    const uint64_t n = BYTES / bytes;
    for (int run = -1; run < RUNS; run++) {
        fill(in, (uint64_t)run + bytes);
        memset(out, 0xA5, BYTES);
        const uint64_t time = sort_once(options, in, out, n);
        if (gs_width(options)->first_disorder(options, out, n, NULL) != n ||
            fingerprint(in, bytes, n) != fingerprint(out, bytes, n)) {
            fprintf(stderr, "bench_records: %u bytes: wrong result\n", bytes);
            exit(1);
        }
        if (run >= 0)
            ns[run] = time;
    }
    return median(ns, RUNS);
}

static uint64_t copy_once(const char *in, char *out, unsigned threads)
{
    const uint64_t start = gs_now_ns();
#pragma omp parallel for num_threads(threads)
    for (size_t at = 0; at < BYTES; at += BYTES / 1000)
        memcpy(out + at, in + at, BYTES / 1000);
    return gs_now_ns() - start;
}

int main(int argc, char **argv)
{
    static char *defaults[] = {"17", "32", "64", "100", "1000", NULL};
    struct gs_options options = {.threads = argc > 1 ? (unsigned)atoi(argv[1]) : 0};
    char **widths = argc > 2 ? argv + 2 : defaults;
    char *in = gs_pages_alloc(BYTES);
    char *out = gs_pages_alloc(BYTES);
    if (in == NULL || out == NULL) {
        fprintf(stderr, "bench_records: not enough memory\n");
        return 1;
    }
    for (; *widths != NULL; widths++) {
        static struct gs_record_order order;
        struct gs_format format = {.record_bytes = (uint32_t)atoi(*widths), .key_count = 1};
        format.keys[0] =
            (struct gs_key_field){.type = {.kind = GS_TYPE_BYTES, .bytes = 10, .big_endian = true}};
        if (gs_format_finish(&format, NULL) != GS_OK)
            return 2;
        gs_record_order_init(&order, &format);
        options.records = &order;
        options.format = &format;
        options.key_bytes = 16;
        const double ns = time_of(&options, in, out);
        const double records = (double)(BYTES / format.record_bytes);
        printf("%5s bytes: %6.2f GB/s, %6.1f ns a record and thread\n", *widths, (double)BYTES / ns,
               ns * gs_threads(&options) / records);
    }
    uint64_t copies[RUNS];
    for (int run = 0; run < RUNS; run++)
        copies[run] = copy_once(in, out, gs_threads(&options));
    printf("       copy: %6.2f GB/s\n", (double)BYTES / median(copies, RUNS));
    return 0;
}
