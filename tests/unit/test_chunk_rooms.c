/* test_chunk_rooms.c -- a chunk's keys land in the rooms of their bins, or it is found not to fit.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cpu/chunk_rooms.h"
#include "sort/keys/vectors.h"
#include "sort/split/search_bins.h"
#include "sort/split/sort_samples.h"
#include "sort/split/u32/vector_bins.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

enum { CHUNK = GS_CHUNK_KEYS_MAX, BINS = 1000 };

static struct gs_splitters splitters;
static gs_key *scratch;
static uint32_t counts[GS_SPLITTERS_MAX + 1];

static uint32_t bin_of(gs_key key)
{
    return gs_splitters_bin(&splitters, splitters.guide, splitters.steps, key);
}

/* Choose splitters for keys of a kind: sampled keys or, if `snaps`, ends of the guide's cells. */
static void choose(enum sample_kind kind, uint32_t bins, bool snaps)
{
    uint32_t samples = bins * 12;
    gs_key *sample = sample_make(kind, samples);
    gs_sort_samples(sample, samples);
    gs_splitters_choose(&splitters, sample, samples, bins, 0);
    if (snaps)
        gs_splitters_snap(&splitters, sample, samples, bins, 0);
    free(sample);
}

#if GS_HAS_AVX2
/* Check that `copy` holds the keys, and `bins` the bins that the scalar search finds. */
static void check_found(const gs_key *keys, uint64_t count, const gs_key *copy,
                        const uint16_t *bins)
{
    for (uint64_t i = 0; i < count; i++)
        if (!CHECK_EQUAL(copy[i], keys[i]) || !CHECK_EQUAL(bins[i], bin_of(keys[i])))
            break;
}

/* The vector search finds the same bins as the scalar one. */
static void check_guide(enum sample_kind kind)
{
    gs_key copy[GS_ROOMS_BLOCK];
    uint16_t bins[GS_ROOMS_BLOCK];
    gs_key *keys = sample_make(kind, GS_ROOMS_BLOCK);
    keys[0] = 0;
    keys[1] = GS_KEY_MAX;
    for (uint64_t count = 0; count <= GS_ROOMS_BLOCK; count += count < 200 ? 1 : 308) {
        uint64_t done = gs_vector_bins(&splitters, keys, count, copy, bins);
        CHECK_EQUAL(done, __builtin_cpu_supports("avx2") ? count / 32 * 32 : 0);
        check_found(keys, done, copy, bins);
    }
    free(keys);
}
#endif

/* Put a chunk into the rooms, block by block. False as soon as it does not fit. */
static bool put_chunk(struct gs_rooms *rooms, const gs_key *keys, uint32_t count, bool straight)
{
    const uint32_t most = straight ? GS_ROOMS_STRAIGHT : GS_ROOMS_BLOCK;
    for (uint32_t done = 0; done < count;) {
        uint32_t here = count - done < most ? count - done : most;
        if (straight) {
            if (!gs_rooms_put_straight(rooms, scratch, &splitters, keys + done, here,
                                       splitters.count + 1, keys + done + GS_ROOMS_BLOCK))
                return false;
            done += here;
            continue;
        }
        for (uint32_t i = 0; i < here; i++) {
            rooms->keys[i] = keys[done + i];
            rooms->bins[i] = (uint16_t)bin_of(keys[done + i]);
        }
        if (!gs_rooms_put(rooms, scratch, here, splitters.count + 1))
            return false;
        done += here;
    }
    return true;
}

/* The keys copied out of the rooms are the chunk's, grouped by bin, and nothing behind them is
 * written. */
static void check_chunk(enum sample_kind kind, uint32_t count, bool straight)
{
    struct gs_rooms *rooms = gs_rooms_in(scratch);
    uint32_t bins = splitters.count + 1;
    gs_key *keys = sample_make(kind, count);
    gs_key *to = malloc((count + 1) * sizeof *to);
    if (to == NULL)
        abort();
    to[count] = 77;
    memset(counts, 0, sizeof counts);
    for (uint32_t i = 0; i < count; i++)
        counts[bin_of(keys[i])]++;
    gs_rooms_make(rooms, counts, bins, false);
    CHECK(gs_rooms_begin(rooms, bins));
    if (CHECK(put_chunk(rooms, keys, count, straight))) {
        gs_rooms_end(rooms, true);
        CHECK(rooms->placed);
        static uint32_t starts[GS_SPLITTERS_MAX + 2];
        for (uint32_t bin = 0; bin < bins; bin++) {
            CHECK_EQUAL(rooms->next[bin] - rooms->first[bin], counts[bin]);
            starts[bin + 1] = starts[bin] + counts[bin];
        }
        gs_copy_bins(starts, rooms->next, bins, scratch, to);
        for (uint32_t i = 1; i < count; i++)
            if (!CHECK(bin_of(to[i - 1]) <= bin_of(to[i])))
                break;
        sample_sort(keys, count);
        sample_sort(to, count);
        CHECK(memcmp(keys, to, count * sizeof *to) == 0);
        CHECK_EQUAL(to[count], 77);
    }
    free(keys);
    free(to);
}

/* A full chunk, a single key, and a chunk that ends within a block. */
static void check_sizes(enum sample_kind kind, bool straight)
{
    check_chunk(kind, CHUNK, straight);
    check_chunk(kind, 1, straight);
    check_chunk(kind, 5003, straight);
}

/* Check searches and rooms with the current splitters. */
static void check_splitters(enum sample_kind kind)
{
#if GS_HAS_AVX2
    for (enum sample_kind other = 0; other < SAMPLE_KINDS; other++)
        check_guide(other);
#endif
    check_sizes(kind, false);
    if (gs_rooms_straight(&splitters))
        check_sizes(kind, true);
}

/* A chunk whose distribution is unlike the one before is refused and writes nothing behind the
 * rooms. Each misfit in a row doubles the number of chunks (up to 64) that are counted before rooms
 * are tried again. */
static void check_misfit(bool straight)
{
    struct gs_rooms *rooms = gs_rooms_in(scratch);
    gs_key *keys = malloc(CHUNK * sizeof *keys);
    if (keys == NULL)
        abort();
    for (uint32_t i = 0; i < CHUNK; i++)
        keys[i] = GS_KEY_MAX; /* all in the last bin */
    choose(SAMPLE_UNIFORM, BINS, straight);
    CHECK(!straight || gs_rooms_straight(&splitters));
    for (uint32_t bin = 0; bin <= splitters.count; bin++)
        counts[bin] = CHUNK / BINS;
    gs_rooms_make(rooms, counts, splitters.count + 1, false);
    uint32_t last = rooms->first[splitters.count + 1];
    scratch[last + GS_ROOMS_STRAIGHT] = 78;
    for (uint32_t misses = 0; misses < 9; misses++) {
        CHECK(gs_rooms_begin(rooms, splitters.count + 1));
        CHECK(!put_chunk(rooms, keys, CHUNK, straight));
        gs_rooms_end(rooms, false);
        CHECK(!rooms->placed);
        uint32_t passed = 0;
        while (!gs_rooms_begin(rooms, splitters.count + 1) && passed < 1000)
            passed++;
        CHECK_EQUAL(passed, misses < 6 ? 1U << misses : 64);
    }
    CHECK_EQUAL(scratch[last + GS_ROOMS_STRAIGHT], 78);
    CHECK(put_chunk(rooms, keys, 100, straight));
    gs_rooms_end(rooms, true);
    CHECK_EQUAL(rooms->misses, 0);
    free(keys);
}

int main(void)
{
    static const uint32_t bins[] = {2, 7, 22, 67, 202, 607, 1024, 1822, 4096};
    scratch = calloc(GS_CACHE_SORT_SCRATCH, sizeof *scratch);
    if (scratch == NULL)
        abort();
    CHECK(!gs_rooms_begin(gs_rooms_in(scratch), 2)); /* no counts are known yet */
    for (enum sample_kind kind = 0; kind < SAMPLE_KINDS; kind++)
        for (size_t i = 0; i < sizeof bins / sizeof bins[0]; i++)
            for (int snaps = 0; snaps < 2; snaps++) {
                choose(kind, bins[i], snaps == 1);
                check_splitters(kind);
            }
    check_misfit(false);
    check_misfit(true);
    free(scratch);
    return check_failures();
}
