/* test_direct.c -- pieces of any size, in any order and by several threads, make the file they are.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/direct.h"
#include "common/random.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES = 3000000, PIECES_MAX = 200000 };

static unsigned char data[FILE_BYTES];
static uint64_t starts[PIECES_MAX + 1];

/* Cut the data into pieces of up to `most` bytes; returns how many. */
static uint64_t cut(uint64_t most, uint64_t seed)
{
    uint64_t count = 0;
    for (uint64_t at = 0; at < FILE_BYTES; count++) {
        starts[count] = at;
        at += gs_random(seed, count) % most + 1;
    }
    starts[count] = FILE_BYTES;
    return count;
}

enum order { BACKWARD, FORWARD, SWAPPED, ORDERS };

/* The piece whose turn is the i-th. */
static uint64_t piece_at(enum order order, uint64_t i, uint64_t count)
{
    if (order == SWAPPED) /* neighbours change places, but for a last one that has none */
        return (i ^ 1) < count ? i ^ 1 : i;
    return order == FORWARD ? i : count - 1 - i;
}

static void check_pieces(uint64_t most, enum order order, uint64_t head_bytes)
{
    static const char name[] = "direct.out";
    static unsigned char got[FILE_BYTES + 100];
    struct gs_output output;
    struct gs_error err = {.status = GS_OK};
    unsigned failures = 0;
    if (!CHECK_EQUAL(gs_output_open(&output, name, &err), GS_OK))
        return;
    gs_output_set_head(&output, "any hundred bytes: there are less of them", head_bytes);
    struct gs_direct_writer *direct = gs_direct_open(&output);
    if (direct == NULL) { /* on tmpfs, in older kernels */
        gs_output_discard(&output);
        return;
    }
    const uint64_t count = cut(most, most);
#pragma omp parallel for num_threads(3) schedule(dynamic, 1) reduction(+ : failures)
    for (uint64_t i = 0; i < count; i++) {
        struct gs_error error = {.status = GS_OK};
        const uint64_t *start = &starts[piece_at(order, i, count)];
        failures += gs_direct_write(direct, data + start[0], start[1] - start[0], start[0],
                                    &error) != GS_OK;
    }
    CHECK_EQUAL(failures, 0);
    CHECK_EQUAL(gs_direct_close(direct, &err), GS_OK);
    CHECK_EQUAL(gs_output_write_head(&output, &err), GS_OK);
    CHECK_EQUAL(gs_output_publish(&output, FILE_BYTES, &err), GS_OK);
    FILE *file = fopen(name, "rb");
    if (CHECK(file != NULL)) {
        CHECK_EQUAL(fread(got, 1, sizeof got, file), head_bytes + FILE_BYTES);
        CHECK(memcmp(got + head_bytes, data, FILE_BYTES) == 0);
        fclose(file);
    }
    unlink(name);
}

int main(void)
{
    static const uint64_t most[] = {40, 4096, 5000, 100000, 2000000};
    for (size_t i = 0; i < FILE_BYTES; i++)
        data[i] = (unsigned char)gs_random(1, i);
    for (size_t m = 0; m < sizeof most / sizeof *most; m++)
        for (int order = 0; order < ORDERS; order++)
            check_pieces(most[m], (enum order)order, m % 2 == 0 ? 0 : 37);
    return check_failures();
}
