/* test_map_sink.c -- a sink that turns into memory: no key is written before its part is made.
 * SPDX-License-Identifier: MIT
 *
 * A part that is not made yet is inaccessible, so writing to it too early ends this program.
 */
#include "sort/sorter/sorter.h"
#include "sort/types/types.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = (5 << 19) + 321 };

/* Counts are in keys. */
struct part_sink {
    struct gs_sink sink;                      /* first: the library hands back a pointer to it */
    gs_key *pages;                            /* [N] */
    bool refuses;                             /* map returns NULL */
    bool fails;                               /* make fails, except at the beginning */
    uint64_t end;                             /* of what a stream has got so far */
    unsigned maps;                            /* calls of map */
    bool early;                               /* the argument of the last one */
    atomic_uint_fast64_t made, left, written; /* made; left in place; copied from elsewhere */
};

static void *map_part(struct gs_sink *sink, uint64_t count, bool early)
{
    struct part_sink *parts = (struct part_sink *)sink;
    CHECK_EQUAL(count, N);
    parts->maps++;
    parts->early = early;
    return parts->refuses ? NULL : parts->pages;
}

static enum gs_status make_part(struct gs_sink *sink, uint64_t count, uint64_t position,
                                struct gs_error *err)
{
    struct part_sink *parts = (struct part_sink *)sink;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t first = position * sizeof(gs_key) / page * page;
    uint64_t end = (position + count) * sizeof(gs_key);
    if (parts->fails && position > 0)
        return gs_fail(err, GS_ERR_OUTPUT, 0, "no more parts");
    if (mprotect((char *)parts->pages + first, end - first, PROT_READ | PROT_WRITE) != 0)
        abort();
    atomic_fetch_add(&parts->made, count);
    return GS_OK;
}

static enum gs_status write_part(struct gs_sink *sink, const void *data, uint64_t count,
                                 uint64_t position, struct gs_error *err)
{
    const gs_key *keys = data;
    struct part_sink *parts = (struct part_sink *)sink;
    (void)err;
    if (sink->stream) {
        if (position != parts->end)
            abort();
        parts->end += count;
    }
    if (sink->stream && keys == parts->pages + position) {
        atomic_fetch_add(&parts->left, count);
        return GS_OK;
    }
    if (sink->memory != NULL) {
        if (keys != parts->pages + position)
            abort();
        atomic_fetch_add(&parts->left, count);
        return GS_OK;
    }
    struct gs_error none;
    if (make_part(sink, count, position, &none) != GS_OK)
        abort();
    memcpy(parts->pages + position, keys, count * sizeof *keys);
    atomic_fetch_add(&parts->written, count);
    return GS_OK;
}

static void open_parts(struct part_sink *parts)
{
    *parts = (struct part_sink){.sink = {.write = write_part, .map = map_part, .make = make_part}};
    parts->pages = mmap(NULL, N * sizeof(gs_key), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (parts->pages == MAP_FAILED)
        abort();
}

/* N keys of each kind, unsorted and sorted, made once for all tests. */
static gs_key *inputs[SAMPLE_KINDS];
static gs_key *ordered[SAMPLE_KINDS];

static void make_inputs(void)
{
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        inputs[kind] = sample_make((enum sample_kind)kind, N);
        ordered[kind] = sample_make((enum sample_kind)kind, N);
        sample_sort(ordered[kind], N);
    }
}

static void free_inputs(void)
{
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        free(inputs[kind]);
        free(ordered[kind]);
    }
}

/* Sort. *kept: keys that should come out; *wrong: how many of them differ. */
static enum gs_status sort_parts(struct part_sink *parts, const struct gs_options *options,
                                 enum sample_kind kind, uint64_t *kept, uint64_t *wrong)
{
    const gs_key *wanted = ordered[kind];
    const struct gs_span span = {inputs[kind], N, "input"};
    struct gs_error err;
    enum gs_status st = gs_sort(options, &span, 1, &parts->sink, NULL, NULL, &err);
    *kept = 0;
    *wrong = 0;
    for (uint64_t k = 0; k < N; k++) {
        uint64_t i = options->reverse ? N - 1 - k : k;
        if (k > 0 && options->unique && wanted[i] == wanted[options->reverse ? i + 1 : i - 1])
            continue;
        *wrong += st == GS_OK && parts->pages[*kept] != wanted[i];
        ++*kept;
    }
    return st;
}

/* Kinds take turns with the options, but for uniform keys, unless long tests are wanted. */
static bool left_out(int kind, bool reverse)
{
    return kind > SAMPLE_UNIFORM && kind % 3 != reverse && !check_expensive();
}

/* All kinds of keys reach the sink's memory in place, each once, or its write() if it refuses to be
 * memory. */
static void test_kinds(unsigned threads, bool reverse, bool unique, bool refuses)
{
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        if (left_out(kind, reverse))
            continue;
        struct part_sink parts;
        struct gs_options options = {.device = GS_DEVICE_CPU,
                                     .threads = threads,
                                     .bins = 30,
                                     .reverse = reverse,
                                     .unique = unique};
        uint64_t kept;
        uint64_t wrong;
        open_parts(&parts);
        parts.refuses = refuses;
        CHECK(sort_parts(&parts, &options, (enum sample_kind)kind, &kept, &wrong) == GS_OK);
        CHECK_EQUAL(wrong, 0);
        bool mapped = parts.sink.memory != NULL;
        if (kind == SAMPLE_UNIFORM) {
            CHECK_EQUAL(parts.maps, 1);
            CHECK(mapped != refuses);
            CHECK(!mapped || parts.early == (threads < 4));
        }
        CHECK(!mapped || !unique || kept >= N / 2);
        CHECK_EQUAL(parts.left, mapped ? kept : 0);
        CHECK_EQUAL(parts.written, mapped ? 0 : kept);
        CHECK(!mapped || parts.made >= kept);
        munmap(parts.pages, N * sizeof(gs_key));
    }
}

/* Copies of few values are made in the sink's memory, or go through its write(). */
static void test_few_values(enum sample_kind kind, unsigned threads, bool reverse, bool refuses)
{
    struct part_sink parts;
    const struct gs_options options = {
        .device = GS_DEVICE_CPU, .threads = threads, .reverse = reverse};
    uint64_t kept;
    uint64_t wrong;
    open_parts(&parts);
    parts.refuses = refuses;
    CHECK(sort_parts(&parts, &options, kind, &kept, &wrong) == GS_OK);
    CHECK_EQUAL(wrong, 0);
    CHECK(parts.maps <= 1);
    CHECK_EQUAL(parts.left, parts.sink.memory != NULL ? N : 0);
    CHECK_EQUAL(parts.left + parts.written, N);
    CHECK((parts.sink.memory != NULL) == (threads >= 4 && !refuses));
    munmap(parts.pages, N * sizeof(gs_key));
}

/* A mapped stream is given its keys from their final places in that memory, without a copy; only
 * keys of equality bins come from elsewhere. With unique there is no map. */
static void test_stream(unsigned threads, bool reverse, bool unique)
{
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        if (left_out(kind, reverse))
            continue;
        struct part_sink parts;
        struct gs_options options = {.device = GS_DEVICE_CPU,
                                     .threads = threads,
                                     .bins = 30,
                                     .reverse = reverse,
                                     .unique = unique,
                                     .verify = true};
        uint64_t kept;
        uint64_t wrong;
        open_parts(&parts);
        parts.sink.stream = true;
        parts.sink.make = NULL;
        mprotect(parts.pages, N * sizeof(gs_key), PROT_READ | PROT_WRITE);
        CHECK(sort_parts(&parts, &options, (enum sample_kind)kind, &kept, &wrong) == GS_OK);
        CHECK(parts.sink.memory == NULL && !parts.early);
        CHECK_EQUAL(wrong, 0);
        CHECK_EQUAL(parts.left + parts.written, kept);
        if (kind == SAMPLE_UNIFORM) {
            CHECK_EQUAL(parts.maps, !unique);
            CHECK_EQUAL(parts.left, unique ? 0 : N);
        }
        munmap(parts.pages, N * sizeof(gs_key));
    }
}

/* A part that cannot be made ends the sort with the sink's error. */
static void test_failure(void)
{
    struct part_sink parts;
    struct gs_options options = {.device = GS_DEVICE_CPU, .threads = 4, .bins = 30};
    uint64_t kept;
    uint64_t wrong;
    for (int unique = 0; unique < 2; unique++) {
        options.unique = unique != 0;
        open_parts(&parts);
        parts.fails = true;
        CHECK(sort_parts(&parts, &options, SAMPLE_UNIFORM, &kept, &wrong) == GS_ERR_OUTPUT);
        CHECK(parts.left < kept);
        munmap(parts.pages, N * sizeof(gs_key));
    }
}

int main(void)
{
    make_inputs();
    for (int kind = 0; kind < 4; kind++) {
        bool reverse = kind % 2 != 0;
        bool unique = kind / 2 != 0;
        test_kinds(2, reverse, unique, false);
        test_kinds(4, reverse, unique, false);
        test_stream(4, reverse, unique);
    }
    for (unsigned threads = 2; threads <= 4; threads += 2)
        for (int kind = 0; kind < 4; kind++)
            test_few_values(kind % 2 != 0 ? SAMPLE_FEW : SAMPLE_EQUAL, threads, kind / 2 != 0,
                            kind == 3);
    test_kinds(2, false, false, true);
    test_kinds(5, false, true, true);
    test_stream(2, false, false);
    test_stream(2, false, true);
    test_failure();
    free_inputs();
    return check_failures();
}
