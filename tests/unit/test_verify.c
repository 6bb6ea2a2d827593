/* test_verify.c -- verification accepts right outputs and rejects every kind of wrong one.
 * SPDX-License-Identifier: MIT
 */
#include "sort/keys/fingerprint.h"
#include "sort/sort.h"
#include "sort/types/types.h"
#include "sort/keys/params.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = 2 * GS_TILE_KEYS + 9 };

static int make_file(const gs_key *keys, uint64_t count)
{
    int fd = memfd_create("output", 0);
    if (fd < 0)
        abort();
    size_t bytes = (size_t)count * sizeof *keys;
    if (pwrite(fd, keys, bytes, 0) != (ssize_t)bytes)
        abort();
    return fd;
}

static struct gs_error told; /* the error of the last verification */

/* Verify `keys`, of which in_file are in the file, as the output of a sort of `wanted`. */
static enum gs_status verify(const gs_key *wanted, const gs_key *keys, uint64_t count,
                             uint64_t in_file, const struct gs_options *options)
{
    struct gs_stats stats = {
        .keys_in = count, .keys_out = count, .fingerprint = gs_fingerprint(wanted, count)};
    struct gs_error err = {.status = GS_OK};
    int fd = make_file(keys, in_file);
    enum gs_status st = gs_verify_file(options, fd, 0, &stats, "output", &err);
    told = err;
    close(fd);
    CHECK((st == GS_OK) == (err.status == GS_OK));
    CHECK(st == GS_OK || strncmp(err.text, "output: ", 8) == 0);
    return st;
}

/* Right outputs are accepted for all options, also empty ones: an alarm must mean an error. */
static void test_right_outputs(void)
{
    static const uint64_t counts[] = {0, 1, 2, GS_TILE_KEYS, GS_TILE_KEYS + 1, N};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (unsigned flags = 0; flags < 4; flags++) {
            struct gs_options options = {.verify = true,
                                         .threads = 2,
                                         .reverse = (flags & 1) != 0,
                                         .unique = (flags & 2) != 0};
            gs_key *keys = sample_make(SAMPLE_FEW, counts[c]);
            uint64_t count = counts[c];
            gs_key *wanted = sample_sorted(keys, &count, options.reverse, options.unique);
            CHECK(verify(wanted, wanted, count, count, &options) == GS_OK);
            free(keys);
            free(wanted);
        }
    }
}

/* A wrong key, keys exchanged, a short file, duplicates and tiles exchanged are each rejected. */
static void test_wrong_outputs(void)
{
    static const uint64_t places[] = {
        1,    2, 4095, 4096, GS_TILE_KEYS - 1, GS_TILE_KEYS, GS_TILE_KEYS + 1, 2 * GS_TILE_KEYS,
        N - 1};
    struct gs_options options = {.verify = true, .threads = 2};
    struct gs_options unique = {.verify = true, .threads = 2, .unique = true};
    gs_key *wanted = sample_make(SAMPLE_SORTED, N);
    gs_key *wrong = sample_make(SAMPLE_SORTED, N);
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        uint64_t at = places[p];
        gs_key kept = wrong[at];
        wrong[at] = wrong[at - 1] ^ 1; /* another key; often still in order */
        CHECK(verify(wanted, wrong, N, N, &options) == GS_ERR_VERIFY);
        wrong[at] = GS_KEY_MAX;
        CHECK(verify(wanted, wrong, N, N, &options) == GS_ERR_VERIFY);
        wrong[at] = kept;
        /* Two keys exchanged: the same multiset, out of order. Each value is there three times, so
         * keys six places apart differ. */
        if (at >= 6) {
            wrong[at] = 0; /* first one key out of order */
            CHECK(verify(wanted, wrong, N, N, &options) == GS_ERR_VERIFY);
            wrong[at] = wrong[at - 6];
            wrong[at - 6] = kept;
            CHECK(verify(wanted, wrong, N, N, &options) == GS_ERR_VERIFY);
            wrong[at - 6] = wrong[at];
            wrong[at] = kept;
        }
    }
    CHECK(verify(wanted, wrong, N, N, &options) == GS_OK);
    CHECK(verify(wanted, wrong, N, N - 1, &options) == GS_ERR_VERIFY); /* too short */
    CHECK(verify(wanted, wrong, N, N, &unique) == GS_ERR_VERIFY);      /* has duplicates */
    /* Two tiles exchanged: each is in order and no key is missing, so only their seam shows it. */
    memcpy(wrong, wanted + GS_TILE_KEYS, GS_TILE_KEYS * sizeof *wrong);
    memcpy(wrong + GS_TILE_KEYS, wanted, GS_TILE_KEYS * sizeof *wrong);
    CHECK(verify(wanted, wrong, N, N, &options) == GS_ERR_VERIFY);
    CHECK(strcmp(told.text, "output: verify: output key 65536 is out of order") == 0);
    memset(wrong, 0, N * sizeof *wrong); /* in order, but all other keys */
    CHECK(verify(wanted, wrong, N, N, &options) == GS_ERR_VERIFY);
    free(wanted);
    free(wrong);
}

/* An output that cannot be read back is an error, not a success. */
static void test_unreadable(void)
{
    struct gs_options options = {.verify = true, .threads = 1};
    struct gs_stats stats = {.keys_out = 5};
    struct gs_error err = {.status = GS_OK};
    CHECK(gs_verify_file(&options, -1, 0, &stats, "output", &err) == GS_ERR_OUTPUT);
}

int main(void)
{
    test_right_outputs();
    test_wrong_outputs();
    test_unreadable();
    return check_failures();
}
