/* test_merge_runs.c -- each method merges runs to what a sort of their keys gives.
 * SPDX-License-Identifier: MIT
 */
#include "common/random.h"
#include "sort/keys/merge_runs.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_MAX 60000
#define ROOM     (KEYS_MAX + GS_MERGE_RUNS_MAX * GS_MERGE_GAP)
#define GUARD    0xdeadbeefU

/* Merge runs of 1 to `longest` keys each, at most KEYS_MAX in all, of `values` values from `least`
 * on. The first run begins one key past a vector's boundary: no access may rely on alignment. */
static void check_runs(enum gs_merge_method method, size_t runs, size_t longest, gs_key least,
                       uint64_t values)
{
    static gs_key keys[ROOM + 2], scratch[ROOM + 2], wanted[KEYS_MAX];
    size_t counts[GS_MERGE_RUNS_MAX];
    size_t all = 0, end = 1;
    for (size_t i = 0; i < ROOM + 2; i++)
        keys[i] = scratch[i] = GUARD;
    for (size_t r = 0; r < runs; r++) {
        counts[r] = 1 + gs_random(r, longest) % longest;
        for (size_t i = 0; i < counts[r]; i++)
            keys[end + i] = least + (gs_key)(gs_random(r + longest, i) % values);
        memcpy(wanted + all, keys + end, counts[r] * sizeof *keys);
        qsort(keys + end, counts[r], sizeof *keys, sample_compare);
        all += counts[r];
        end += counts[r] + GS_MERGE_GAP;
    }
    qsort(wanted, all, sizeof *wanted, sample_compare);
    const gs_key *merged = gs_merge_runs(method, keys + 1, scratch + 1, counts, runs);
    CHECK(merged == keys + 1 || merged == scratch + 1);
    CHECK(memcmp(merged, wanted, all * sizeof *wanted) == 0);
    CHECK(keys[0] == GUARD && scratch[0] == GUARD && keys[end] == GUARD && scratch[end] == GUARD);
}

int main(void)
{
    static const size_t lengths[] = {1, 2, 15, 16, 17, 63, 64, 65, 200, 1000, 20000};
    static const size_t numbers[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 33, 100, 256};
    static const struct {
        gs_key least;
        uint64_t values;
    } kinds[] = {
        {0, (uint64_t)1 << 32}, {0, 1}, {0, 3}, {1000, 100}, {GS_KEY_MAX, 1}, {GS_KEY_MAX - 1, 2},
        {GS_KEY_MAX - 40, 41}};
    CHECK(gs_merge_method() <= GS_MERGE_AVX512);
    for (enum gs_merge_method method = GS_MERGE_AVX2; method <= gs_merge_method(); method++)
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
            for (size_t r = 0; r < sizeof numbers / sizeof numbers[0]; r++)
                for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
                    if (numbers[r] * lengths[l] <= KEYS_MAX)
                        check_runs(method, numbers[r], lengths[l], kinds[k].least, kinds[k].values);
    return check_failures();
}
