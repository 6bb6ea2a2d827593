/* test_select_samples.c -- samples: one in each stratum, the same for each seed; their sort.
 * SPDX-License-Identifier: MIT
 */
#include "sort/split/select_samples.h"
#include "sort/split/sort_samples.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Positions ascend, one in each stratum, so that the sample covers the input evenly. */
static void test_one_position_a_stratum(void)
{
    static const uint64_t counts[] = {
        1, 2, 3, 10, 65537, 100000, 4294967297, (uint64_t)1 << 40, 1000003};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        uint64_t n = counts[c];
        for (uint64_t samples = 1; samples <= n && samples < 100000; samples = samples * 3 + 1) {
            uint64_t before = 0;
            for (uint64_t i = 0; i < samples; i++) {
                uint64_t position = gs_sample_position(i, samples, n, 5);
                if (!CHECK(position < n) || !CHECK(i == 0 || position > before))
                    return;
                /* Within its stratum, but for rounding. */
                double even = (double)n / (double)samples;
                if (!CHECK((double)position >= even * (double)i - 2) ||
                    !CHECK((double)position <= even * (double)(i + 1) + 2))
                    return;
                before = position;
            }
        }
    }
}

/* Every key can be sampled, the first and the last included. */
static void test_every_position_is_drawn(void)
{
    for (uint64_t n = 1; n < 20; n++) {
        for (uint64_t samples = 1; samples <= n; samples++) {
            bool drawn[20] = {false};
            for (uint64_t seed = 0; seed < 1000; seed++)
                for (uint64_t i = 0; i < samples; i++)
                    drawn[gs_sample_position(i, samples, n, seed)] = true;
            for (uint64_t at = 0; at < n; at++)
                CHECK(drawn[at]);
        }
    }
}

/* A position may be anywhere in its stratum, even if that has more than 2^32 keys. */
static void test_wide_strata_are_drawn_from(void)
{
    const uint64_t width = (uint64_t)5 << 32;
    for (uint64_t i = 0; i < 3; i++) {
        bool drawn[8] = {false}; /* eighths of the stratum */
        for (uint64_t seed = 0; seed < 1000; seed++) {
            uint64_t position = gs_sample_position(i, 3, 3 * width, seed);
            if (!CHECK(position / width == i))
                return;
            drawn[(position - i * width) / (width / 8)] = true;
        }
        for (int eighth = 0; eighth < 8; eighth++)
            CHECK(drawn[eighth]);
    }
}

/* With the most samples allowed, 2^32, the last positions do not overflow past the input's end. */
static void test_most_samples(void)
{
    const uint64_t samples = (uint64_t)1 << 32;
    for (uint64_t i = samples - 1000; i < samples; i++) {
        CHECK_EQUAL(gs_sample_position(i, samples, samples, 5), i);
        uint64_t position = gs_sample_position(i, samples, 2 * samples - 1, 5);
        CHECK(position >= 2 * i - 1 && position < 2 * samples - 1);
    }
}

/* Positions are random within their strata: equal steps could be in phase with a periodic input. */
static void test_positions_are_jittered(void)
{
    unsigned same = 0;
    for (uint64_t i = 1; i < 1000; i++)
        same += gs_sample_position(i, 1000, 4096000, 5) % 4096 ==
                gs_sample_position(i - 1, 1000, 4096000, 5) % 4096;
    CHECK(same < 10);
}

/* The sample depends on neither the number of threads nor how the input is cut into spans. */
static void test_through_spans(void)
{
    enum { N = 100001, SAMPLES = 777 };
    gs_key *keys = sample_make(SAMPLE_UNIFORM, N);
    struct gs_span one = {keys, N, "one"};
    struct gs_span cut[] = {{keys, 0, "a"},
                            {keys, 1, "b"},
                            {keys + 1, 70000, "c"},
                            {keys, 0, "d"},
                            {keys + 70001, N - 70001, "e"}};
    gs_key first[SAMPLES] = {0};
    gs_key second[SAMPLES] = {0};
    struct gs_error err = {.status = GS_OK};
    struct gs_tiles tiles;
    if (CHECK(gs_tiles_make(&tiles, &one, 1, &err) == GS_OK)) {
        gs_select_samples_cpu(&tiles, SAMPLES, 9, 1, first);
        gs_tiles_free(&tiles);
    }
    if (CHECK(gs_tiles_make(&tiles, cut, 5, &err) == GS_OK)) {
        gs_select_samples_cpu(&tiles, SAMPLES, 9, 2, second);
        gs_tiles_free(&tiles);
    }
    CHECK(memcmp(first, second, sizeof first) == 0);
    for (uint64_t i = 0; i < SAMPLES; i++)
        CHECK_EQUAL(first[i], keys[gs_sample_position(i, SAMPLES, N, 9)]);
    free(keys);
}

static long major_faults(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_majflt : 0;
}

/* Map `bytes` bytes of a file as it is on the disk, out of the page cache; NULL if that fails. */
static gs_key *map_cold(int fd, size_t bytes)
{
    if (fsync(fd) != 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
        return NULL;
    void *keys = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (keys == MAP_FAILED)
        return NULL;
    madvise(keys, bytes, MADV_RANDOM); /* or the kernel reads around the first pages */
    return keys;
}

/* The pages of a file's sample are read together: few samples wait for the disk on their own. */
static void test_from_disk(void)
{
    enum { N = 1 << 20, SAMPLES = 1024 };
    char name[] = "samples-XXXXXX";
    gs_key *sample = calloc(SAMPLES, sizeof *sample);
    gs_key *keys = sample_make(SAMPLE_UNIFORM, N);
    struct gs_error err = {.status = GS_OK};
    struct gs_tiles tiles;
    int fd = mkstemp(name);
    if (CHECK(fd >= 0 && write(fd, keys, N * sizeof *keys) == (ssize_t)(N * sizeof *keys))) {
        gs_key *cold = map_cold(fd, N * sizeof *keys);
        struct gs_span span = {cold, N, "cold"};
        if (CHECK(cold != NULL && gs_tiles_make(&tiles, &span, 1, &err) == GS_OK)) {
            long before = major_faults();
            gs_select_samples_cpu(&tiles, SAMPLES, 9, 2, sample);
            CHECK(major_faults() - before <= SAMPLES / 8); /* none on tmpfs */
            gs_tiles_free(&tiles);
            munmap(cold, N * sizeof *keys);
        }
        for (uint64_t i = 0; i < SAMPLES; i++)
            CHECK_EQUAL(sample[i], keys[gs_sample_position(i, SAMPLES, N, 9)]);
    }
    close(fd);
    unlink(name);
    free(sample);
    free(keys);
}

/* Samples of every kind and size are sorted correctly, or splitters would not ascend. */
static void test_sorting(void)
{
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        for (uint64_t n = 0; n < 3000; n = n * 3 + 1) {
            gs_key *keys = sample_make((enum sample_kind)kind, n);
            uint64_t count = n;
            gs_key *wanted = sample_sorted(keys, &count, false, false);
            gs_sort_samples(keys, (size_t)n);
            CHECK(memcmp(keys, wanted, (size_t)n * sizeof *keys) == 0);
            free(keys);
            free(wanted);
        }
    }
}

int main(void)
{
    test_one_position_a_stratum();
    test_every_position_is_drawn();
    test_wide_strata_are_drawn_from();
    test_most_samples();
    test_positions_are_jittered();
    test_through_spans();
    test_from_disk();
    test_sorting();
    return check_failures();
}
