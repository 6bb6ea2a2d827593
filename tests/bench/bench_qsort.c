/* bench_qsort.c -- how long the C library's qsort takes for the keys on standard input.
 * SPDX-License-Identifier: MIT
 *
 * usage: bench_qsort <FILE
 *
 * Prints milliseconds: the median of 11 sorts, or of 3 if a sort takes longer than 10 ms, after one
 * warm-up. Each sorts a fresh copy.
 */
#include "common/clock.h"
#include "common/formats/keys.h"
#include "tests/bench/median.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 11, SLOW_RUNS = 3, SLOW_NS = 10000000 };

static int compare(const void *left, const void *right)
{
    gs_key a = *(const gs_key *)left;
    gs_key b = *(const gs_key *)right;
    return (a > b) - (a < b);
}

/* Read all keys from standard input. The caller frees them; NULL if there is no memory. */
static gs_key *read_keys(size_t *count)
{
    size_t room = 1 << 16;
    gs_key *keys = malloc(room * sizeof *keys);
    size_t got = 0;
    *count = 0;
    while (keys != NULL && (got = fread(keys + *count, sizeof *keys, room - *count, stdin)) > 0) {
        *count += got;
        if (*count == room) {
            room *= 2;
            gs_key *more = realloc(keys, room * sizeof *keys);
            if (more == NULL)
                free(keys);
            keys = more;
        }
    }
    return keys;
}

int main(void)
{
    uint64_t times[RUNS] = {0};
    size_t count = 0;
    gs_key *keys = read_keys(&count);
    gs_key *copy = malloc(count * sizeof *copy + 1);
    if (keys == NULL || copy == NULL || ferror(stdin)) {
        fprintf(stderr, "bench_qsort: cannot read the keys\n");
        free(keys);
        free(copy);
        return 2;
    }
    int runs = RUNS;
    for (int run = -1; run < runs; run++) {
        memcpy(copy, keys, count * sizeof *copy);
        uint64_t start = gs_now_ns();
        qsort(copy, count, sizeof *copy, compare);
        uint64_t took = gs_now_ns() - start;
        if (run >= 0)
            times[run] = took;
        else if (took > SLOW_NS)
            runs = SLOW_RUNS;
    }
    printf("%.6f\n", median(times, (size_t)runs) / 1e6);
    free(keys);
    free(copy);
    return 0;
}
