/* test_map_sink.c -- a sink that becomes memory: no key is written before its part is made.
 * SPDX-License-Identifier: MIT
 *
 * What is not made yet cannot be written to: that would end this program.
 */
#include "sort/gsort.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = (5 << 19) + 321 };

/* Counts are of keys. */
struct part_sink {
    struct gs_sink sink; /* first: the library hands back a pointer to it */
    gs_key *pages;       /* [N] */
    bool refuses;        /* to be memory */
    bool fails;          /* to make all but the first parts */
    uint64_t end;        /* of a stream that has given its memory away so far */
    unsigned maps;
    bool early;
    atomic_uint_fast64_t made, left, written;
};

static gs_key *map_part(struct gs_sink *sink, uint64_t count, bool early)
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

static enum gs_status write_part(struct gs_sink *sink, const gs_key *keys, uint64_t count,
                                 uint64_t position, struct gs_error *err)
{
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

static enum gs_status sort_parts(struct part_sink *parts, const struct gs_options *options,
                                 enum sample_kind kind, uint64_t *wrong)
{
    gs_key *keys = sample_make(kind, N);
    gs_key *wanted = sample_make(kind, N);
    const struct gs_span span = {keys, N, "input"};
    struct gs_error err;
    enum gs_status st = gs_sort(options, &span, 1, &parts->sink, NULL, NULL, &err);
    sample_sort(wanted, N);
    *wrong = 0;
    for (uint64_t i = 0; st == GS_OK && i < N; i++)
        *wrong += parts->pages[i] != wanted[options->reverse ? N - 1 - i : i];
    free(keys);
    free(wanted);
    return st;
}

/* Keys of every kind, by few threads and by many. */
static void test_kinds(unsigned threads, bool reverse, bool refuses)
{
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        struct part_sink parts;
        struct gs_options options = {
            .device = GS_DEVICE_CPU, .threads = threads, .bins = 30, .reverse = reverse};
        uint64_t wrong;
        open_parts(&parts);
        parts.refuses = refuses;
        CHECK(sort_parts(&parts, &options, (enum sample_kind)kind, &wrong) == GS_OK);
        CHECK_EQUAL(wrong, 0);
        bool mapped = parts.sink.memory != NULL;
        if (kind == SAMPLE_UNIFORM) {
            CHECK_EQUAL(parts.maps, 1);
            CHECK(mapped == (parts.maps > 0 && !refuses));
            CHECK(!mapped || parts.early == (threads < 4));
        }
        CHECK_EQUAL(parts.left, mapped ? N : 0);
        CHECK_EQUAL(parts.written, mapped ? 0 : N);
        CHECK(!mapped || parts.made >= N);
        munmap(parts.pages, N * sizeof(gs_key));
    }
}

/* A stream's keys wait for their turn where they belong, if they have a place of their own; those
 * of one value come from elsewhere. */
static void test_stream(unsigned threads, bool reverse, bool unique)
{
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        struct part_sink parts;
        struct gs_options options = {.device = GS_DEVICE_CPU,
                                     .threads = threads,
                                     .bins = 30,
                                     .reverse = reverse,
                                     .unique = unique,
                                     .verify = true};
        uint64_t wrong;
        open_parts(&parts);
        parts.sink.stream = true;
        parts.sink.make = NULL;
        mprotect(parts.pages, N * sizeof(gs_key), PROT_READ | PROT_WRITE);
        CHECK(sort_parts(&parts, &options, (enum sample_kind)kind, &wrong) == GS_OK);
        CHECK(parts.sink.memory == NULL && !parts.early);
        if (!unique) {
            CHECK_EQUAL(wrong, 0);
            CHECK_EQUAL(parts.left + parts.written, N);
        }
        if (kind == SAMPLE_UNIFORM) {
            CHECK_EQUAL(parts.maps, !unique);
            CHECK_EQUAL(parts.left, unique ? 0 : N);
        }
        munmap(parts.pages, N * sizeof(gs_key));
    }
}

/* A part that cannot be made ends the sort. */
static void test_failure(void)
{
    struct part_sink parts;
    struct gs_options options = {.device = GS_DEVICE_CPU, .threads = 4, .bins = 30};
    uint64_t wrong;
    open_parts(&parts);
    parts.fails = true;
    CHECK(sort_parts(&parts, &options, SAMPLE_UNIFORM, &wrong) == GS_ERR_OUTPUT);
    CHECK(parts.left < N);
    munmap(parts.pages, N * sizeof(gs_key));
}

int main(void)
{
    test_kinds(2, false, false);
    test_kinds(2, true, false);
    test_kinds(4, false, false);
    test_kinds(4, true, false);
    test_kinds(2, false, true);
    test_kinds(5, false, true);
    test_stream(2, false, false);
    test_stream(4, false, false);
    test_stream(4, true, false);
    test_stream(2, false, true);
    test_failure();
    return check_failures();
}
