/* values.c -- count the values of records of one or two bytes.
 * SPDX-License-Identifier: MIT
 *
 * Records of one byte are counted in pairs, as if they were half as many of two bytes. Neighbours
 * go to two tables in turn: a count that has just been stored cannot be loaded at once, and equal
 * neighbours would wait for each other.
 */
#include "sort/types/values.h"

#include <errno.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TABLES = 2, STEP = 4, BYTE_VALUES = 256 };

/* Records of two bytes that a thread counts before its counts could exceed 32 bits. */
#define SHARE_MOST ((size_t)1 << 31)

/* Count the values of `count` records of two bytes. */
static void count_share(const unsigned char *records, size_t count, uint32_t *table)
{
    uint32_t *other = table + GS_VALUES_MAX;
    size_t i = 0;
    for (; i + STEP <= count; i += STEP) {
        uint64_t four = 0;
        memcpy(&four, records + 2 * i, sizeof four);
        __asm__ volatile("" : "+r"(four)); /* not loaded again from a mapped file */
        table[four & 0xffff]++;
        other[four >> 16 & 0xffff]++;
        table[four >> 32 & 0xffff]++;
        other[four >> 48]++;
    }
    for (; i < count; i++)
        table[(uint32_t)records[2 * i] | (uint32_t)records[2 * i + 1] << 8]++;
}

/* Add a thread's tables to the counts. */
static void add_tables(const uint32_t *table, uint32_t record_bytes, uint64_t *counts)
{
    for (uint32_t v = 0; v < GS_VALUES_MAX; v++) {
        const uint64_t count = (uint64_t)table[v] + table[GS_VALUES_MAX + v];
        if (record_bytes == 2) {
            counts[v] += count;
        } else {
            counts[v % BYTE_VALUES] += count;
            counts[v / BYTE_VALUES] += count;
        }
    }
}

enum gs_status gs_values_count(const void *records, size_t count, uint32_t record_bytes,
                               int threads, uint64_t counts[GS_VALUES_MAX], struct gs_error *err)
{
    const unsigned char *bytes = records;
    const size_t pairs = record_bytes == 2 ? count : count / 2;
    bool failed = false;
    if (record_bytes == 1 && count % 2 == 1)
        counts[*(const volatile unsigned char *)(bytes + count - 1)]++;
#pragma omp parallel num_threads(threads) reduction(|| : failed)
    {
        uint32_t *table = malloc(TABLES * GS_VALUES_MAX * sizeof *table);
        const size_t share = pairs / (size_t)omp_get_num_threads() + 1;
        const size_t begin = share * (size_t)omp_get_thread_num();
        const size_t end = begin + share < pairs ? begin + share : pairs;
        failed = table == NULL;
        for (size_t at = begin; at < end && !failed; at += SHARE_MOST) {
            memset(table, 0, TABLES * GS_VALUES_MAX * sizeof *table);
            count_share(bytes + 2 * at, end - at < SHARE_MOST ? end - at : SHARE_MOST, table);
#pragma omp critical(gs_values)
            add_tables(table, record_bytes, counts);
        }
        free(table);
    }
    return failed ? gs_fail(err, GS_ERR_MEMORY, ENOMEM, "counting values") : GS_OK;
}

uint64_t gs_values_memory(unsigned threads)
{
    const uint64_t listed = 3 * sizeof(uint64_t); /* a value, its count and its place */
    return GS_VALUES_MAX * (listed + threads * TABLES * sizeof(uint32_t));
}
