/* test_incoming.c -- input that is distributed to bins while it arrives is sorted correctly.
 * SPDX-License-Identifier: MIT
 *
 * Keys arrive in pieces, in a buffer that moves, as they are or as big-endian records; outputs are
 * compared with sample_sorted's.
 */
#include "sort/pipeline/incoming.h"
#include "sort/cpu/stages_cpu.h"
#include "sort/keys/params.h"
#include "tests/unit/sort_ways.h"
#include "sort/keys/fingerprint.h"
#include "sort/sorter/sorter.h"
#include "sort/run/plan.h"

#include <unistd.h>

enum { COUNT = GS_INCOMING_KEYS + 3 * GS_CHUNK_KEYS_MAX + 12345 };

/* Records as large as keys, with their bytes turned round. */
static struct gs_codec turned;

/* Keys as they arrive. The caller frees them. */
static gs_key *make_records(const gs_key *keys, uint64_t count, const struct gs_codec *codec)
{
    gs_key *records = malloc(count * sizeof *records);
    if (codec != NULL)
        gs_codec_store(codec, keys, records, count);
    else
        memcpy(records, keys, count * sizeof *records);
    return records;
}

/* Wait, up to 10 s, until the threads have sampled what has arrived and begin. */
static void await_begin(struct gs_incoming *incoming)
{
    for (int i = 0; i < 10000 && !gs_incoming_begun(incoming); i++)
        usleep(1000);
}

/* Let the keys arrive a piece at a time, in a buffer that moves as it grows. If `begins`, wait for
 * the threads to begin when there are enough keys. Returns the buffer, which the caller frees. */
static gs_key *come_in(struct gs_incoming *incoming, const gs_key *keys, uint64_t count,
                       bool begins)
{
    uint64_t room = COUNT / 7;
    gs_key *buffer = malloc(room * sizeof *buffer);
    uint64_t piece = 0;
    for (uint64_t done = 0; done < count; done += piece) {
        piece = gs_random(5, done) % 300000 + 1;
        piece = piece < count - done ? piece : count - done;
        if (done + piece > room) {
            gs_incoming_pause(incoming);
            while (done + piece > room)
                room *= 2;
            gs_key *moved = malloc(room * sizeof *moved);
            memcpy(moved, buffer, done * sizeof *buffer);
            memset(buffer, 0, done * sizeof *buffer); /* late readers get wrong keys */
            free(buffer);
            buffer = moved;
        }
        memcpy(buffer + done, keys + done, piece * sizeof *buffer);
        gs_incoming_tell(incoming, buffer, done + piece);
        if (begins && done < GS_INCOMING_KEYS && done + piece >= GS_INCOMING_KEYS)
            await_begin(incoming);
    }
    return buffer;
}

/* Sort keys that have arrived; `ascending` has the same in order. Returns whether the sort used
 * what the threads had done. begins: the first keys look as if that would pay, so the threads must
 * begin. */
static bool sort_incoming(const gs_key *keys, const gs_key *ascending, uint64_t count,
                          struct gs_options options, bool in_memory, bool begins)
{
    uint64_t left = count;
    gs_key *wanted = sample_ordered(ascending, &left, options.reverse, options.unique);
    gs_key *got = malloc(count * sizeof *got);
    struct gs_stats stats = {0};
    struct gs_error err = {.status = GS_OK};
    memset(got, 0xa5, count * sizeof *got);
    struct array_sink sink = {.sink = {.memory = in_memory ? got : NULL, .write = array_write},
                              .keys = got};

    options.own.incoming = gs_incoming_new(&options, &gs_stages_cpu);
    gs_key *records = make_records(keys, count, options.codec);
    gs_key *buffer = come_in(options.own.incoming, records, count, begins);
    bool begun = gs_incoming_begun(options.own.incoming);
    CHECK_EQUAL(begun, begins);
    gs_incoming_end(options.own.incoming);
    const struct gs_span span = {.keys = buffer, .count = count, .name = "pipe"};
    CHECK(gs_sort(&options, &span, 1, &sink.sink, NULL, &stats, &err) == GS_OK);
    CHECK_EQUAL(stats.keys_in, count);
    CHECK_EQUAL(stats.keys_out, left);
    if (options.codec != NULL)
        gs_codec_load(options.codec, got, got, left);
    CHECK(memcmp(got, wanted, left * sizeof *got) == 0);
    if (options.verify)
        CHECK_EQUAL(stats.fingerprint, gs_fingerprint(wanted, left));
    gs_incoming_free(options.own.incoming);
    free(records);
    free(buffer);
    free(wanted);
    free(got);
    /* An ordinary sort of this many keys draws a sample of another size. */
    return begun && stats.samples == GS_INCOMING_BINS * GS_INCOMING_OVERSAMPLING;
}

/* COUNT uniform keys, as they come and in order. */
static gs_key *uniform, *ascending;

/* The later keys are larger than the first: bins chosen from the first are uneven, so the sort must
 * start anew. */
static void test_drift(void)
{
    struct gs_options options = {.device = GS_DEVICE_CPU, .threads = 2, .verify = true};
    uint64_t count = 2 * (uint64_t)COUNT;
    gs_key *keys = sample_make(SAMPLE_UNIFORM, count);
    for (uint64_t i = 0; i < COUNT; i++)
        keys[i] >>= 12;
    gs_key *wanted = sample_sorted(keys, &count, false, false);
    if (check_expensive())
        CHECK(!sort_incoming(keys, wanted, count, options, false, true));
    options.codec = &turned;
    CHECK(!sort_incoming(keys, wanted, count, options, false, true));
    free(wanted);
    free(keys);
}

/* What was decoded becomes records again: the same ones, though in another order. */
static void test_restore(void)
{
    const struct gs_options options = {.device = GS_DEVICE_CPU, .threads = 2, .codec = &turned};
    gs_key *records = make_records(uniform, COUNT, &turned);
    struct gs_incoming *incoming = gs_incoming_new(&options, &gs_stages_cpu);
    gs_key *buffer = come_in(incoming, records, COUNT, true);
    gs_incoming_end(incoming);
    gs_incoming_restore(incoming);
    gs_codec_load(&turned, buffer, buffer, COUNT);
    sample_sort(buffer, COUNT);
    CHECK(memcmp(ascending, buffer, COUNT * sizeof *buffer) == 0);
    gs_incoming_restore(NULL);
    gs_incoming_free(incoming);
    free(buffer);
    free(records);
}

/* Sorts that would not gain by it get NULL, which all calls accept. */
static void test_refusals(void)
{
    struct gs_codec narrow;
    const struct gs_format bytes =
        gs_format_of((struct gs_key_type){.kind = GS_TYPE_BYTES, .bytes = 3, .big_endian = true});
    gs_codec_init(&narrow, &bytes);
    const struct gs_options refused[] = {
        {.threads = 1},
        {.threads = 2, .device = GS_DEVICE_GPU},
        {.threads = 2, .engine = GS_ENGINE_HYBRID},
        {.threads = 2, .bins = 1},
        {.threads = 2, .codec = &narrow},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        CHECK(gs_incoming_new(&refused[i], &gs_stages_cpu) == NULL);
    gs_incoming_tell(NULL, NULL, 1);
    gs_incoming_pause(NULL);
    CHECK(!gs_incoming_begun(NULL));
    gs_incoming_end(NULL);
    gs_incoming_free(NULL);
    const struct gs_options options = {.threads = 2};
    gs_incoming_free(gs_incoming_new(&options, &gs_stages_cpu)); /* nothing came */
}

/* Sort one span to got and check the result. */
static void check_span(const struct gs_options *options, struct gs_span span, const gs_key *wanted,
                       gs_key *got)
{
    struct gs_error err = {.status = GS_OK};
    struct gs_sink sink = {.memory = got};
    memset(got, 0xa5, span.count * sizeof *got);
    CHECK(gs_sort(options, &span, 1, &sink, NULL, NULL, &err) == GS_OK);
    CHECK(memcmp(got, wanted, span.count * sizeof *got) == 0);
}

/* The sort starts anew for another input or a part of this one, where the table of more bins would
 * take too much memory, and where the input has been sorted already. */
static void test_others(void)
{
    enum { OTHERS = 100000 };
    struct gs_options options = {.device = GS_DEVICE_CPU, .threads = 2};
    struct gs_plan plan;
    uint64_t others = OTHERS;
    gs_key *other = sample_sorted(uniform, &others, false, false);
    gs_key *got = malloc(COUNT * sizeof *got);
    options.own.incoming = gs_incoming_new(&options, &gs_stages_cpu);
    gs_key *buffer = come_in(options.own.incoming, uniform, COUNT, true);
    gs_incoming_end(options.own.incoming);
    gs_key *some = sample_sorted(buffer, &others, false, false); /* the threads have moved keys */
    const struct gs_span came = {buffer, COUNT, "pipe"};
    check_span(&options, (struct gs_span){uniform, OTHERS, "other"}, other, got);
    check_span(&options, (struct gs_span){buffer, OTHERS, "some"}, some, got);
    options.own.held_bytes = (uint64_t)COUNT * sizeof *got;
    gs_plan_make(&plan, &options, COUNT);
    options.memory_bytes = plan.memory_bytes + gs_plan_held(&plan, options.own.held_bytes);
    check_span(&options, came, ascending, got);
    options.memory_bytes = 0;
    check_span(&options, came, ascending, got);
    check_span(&options, came, ascending, got);
    gs_incoming_free(options.own.incoming);
    free(buffer);
    free(some);
    free(other);
    free(got);
}

int main(void)
{
    const struct gs_format format = gs_format_of(
        (struct gs_key_type){.kind = GS_TYPE_BYTES, .bytes = sizeof(gs_key), .big_endian = true});
    gs_codec_init(&turned, &format);
    uint64_t count = COUNT;
    uniform = sample_make(SAMPLE_UNIFORM, COUNT);
    ascending = sample_sorted(uniform, &count, false, false);
    for (unsigned way = 0; way < 8; way++) { /* both sinks, directions, duplicates or not */
        if (!check_expensive() &&
            (__builtin_parity(way) == 1 || (!check_thorough() && way % 6 != 0)))
            continue; /* those left have any two of the three in all combinations, or both of all */
        struct gs_options options = {.device = GS_DEVICE_CPU,
                                     .reverse = (way & 1) != 0,
                                     .unique = (way & 2) != 0,
                                     .verify = way % 3 == 0,
                                     .threads = way % 3 == 1 ? 5 : 2,
                                     .codec = way % 2 == way / 4 ? &turned : NULL};
        CHECK(sort_incoming(uniform, ascending, COUNT, options, (way & 4) != 0, true));
    }
    /* Keys of few values or in order are left as they arrive: they are sorted faster from that.
     * Skewed ones are not. */
    const struct gs_options options = {.device = GS_DEVICE_CPU, .threads = 2};
    for (int kind = SAMPLE_FEW; kind <= SAMPLE_REVERSED + 1; kind++) {
        const bool begins = kind > SAMPLE_REVERSED; /* skewed keys */
        if (!check_expensive() && (kind == SAMPLE_EQUAL || kind == SAMPLE_REVERSED ||
                                   (!check_thorough() && kind != SAMPLE_FEW && !begins)))
            continue;
        gs_key *keys = sample_make(begins ? SAMPLE_SKEWED : (enum sample_kind)kind, COUNT);
        gs_key *wanted = sample_sorted(keys, &count, false, false);
        CHECK(sort_incoming(keys, wanted, COUNT, options, false, begins) == begins);
        free(wanted);
        free(keys);
    }
    if (check_thorough())
        test_drift();
    test_restore();
    test_refusals();
    if (check_thorough())
        test_others();
    free(uniform);
    free(ascending);
    return check_failures();
}
