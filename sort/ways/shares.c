/* shares.c -- sort few keys: count, collect and sort the keys of each thread's share.
 * SPDX-License-Identifier: MIT
 *
 * The input is read once to count and again for each share. A share that then finds more, fewer or
 * other keys than were counted is reported, and never writes beyond its place.
 */
#include "sort/ways/shares.h"
#include "sort/keys/key_loops.h"
#include "sort/bin/vqsort.h"
#include "sort/ways/shares_highway.h"
#include "sort/keys/fingerprint.h"
#include "sort/run/thread_work.h"

#include "common/clock.h"
#include "common/memory/memory.h"

#if GS_HIGHWAY && GS_BITS == 32

enum {
    BLOCK_KEYS = 4096, /* counted for all shares in turn while in cache */
    FREQUENT = 32,     /* a key with at least 1 / FREQUENT of the sample is frequent; ... */
    FEWEST_OTHERS = 4, /* ... with fewer than 1 in 4 others, only a key that fills a share is */
    PARTS = 3,         /* parts of a share */
};

/* How often the sample has the key at index `begin`, its first copy. */
static uint32_t times(const gs_key *sample, uint32_t samples, uint32_t begin)
{
    uint32_t end = begin + 1;
    while (end < samples && sample[end] == sample[begin])
        end++;
    return end - begin;
}

/* Does a key that occurs `times` times make up at least 1 / `part` of the sample? */
static bool frequent(uint32_t times, uint32_t samples, uint32_t part)
{
    return times > 1 && (uint64_t)times * part >= samples;
}

/* The number of keys in the sample that are not frequent: those that must be moved and sorted. */
static uint32_t count_others(const gs_key *sample, uint32_t samples, uint32_t part)
{
    uint32_t others = 0;
    for (uint32_t i = 0, n; i < samples; i += n) {
        n = times(sample, samples, i);
        others += frequent(n, samples, part) ? 0 : n;
    }
    return others;
}

/* Cut the sample into shares with equally many infrequent keys each; none if there are no such
 * keys. */
static void cut_shares(struct gs_shares *shares, unsigned threads, const gs_key *sample,
                       uint32_t samples)
{
    uint32_t part = FREQUENT;
    uint64_t others = count_others(sample, samples, part);
    if (others * FEWEST_OTHERS < samples) {
        part = threads;
        others = count_others(sample, samples, part);
    }
    if (others == 0)
        return;
    uint64_t passed = 0; /* infrequent keys so far */
    uint32_t most = 0;   /* count of this share's most frequent key */
    uint32_t last = 0;
    for (uint32_t i = 0, n; i < samples; i += n) {
        n = times(sample, samples, i);
        passed += frequent(n, samples, part) ? 0 : n;
        if (frequent(n, samples, FREQUENT) && n > most) {
            most = n;
            shares->equal[last] = sample[i];
        }
        if (last + 1 == threads || passed * threads < others * (last + 1) ||
            sample[i] == GS_KEY_MAX)
            continue;
        if (most == 0) /* then it is the last key, with none above it */
            shares->equal[last] = sample[i];
        shares->last[last++] = sample[i];
        most = 0;
    }
    if (most == 0)
        shares->equal[last] = GS_KEY_MAX;
    shares->last[last] = GS_KEY_MAX;
    shares->count = last + 1;
}

void gs_shares_find(struct gs_shares *shares, const struct gs_run *run, const gs_key *sample,
                    uint32_t samples)
{
    unsigned threads = run->plan.threads;
    uint64_t most = run->emitter.sink->memory != NULL ? GS_SHARES_KEYS : GS_SHARES_KEYS_WRITTEN;
    shares->count = 0;
    bool chosen = run->options->bins > 0 || run->options->samples > 0; /* the user asks for bins */
    if (!chosen && run->plan.count <= most && threads <= GS_SHARES_MAX && gs_vqsort_usable())
        cut_shares(shares, threads, sample, samples);
}

static struct gs_share share_at(const struct gs_shares *shares, uint32_t i)
{
    return (struct gs_share){.low = i == 0 ? 0 : shares->last[i - 1] + 1,
                             .equal = shares->equal[i],
                             .last = shares->last[i]};
}

/* The state of one sort by shares. */
struct work {
    struct gs_run *run;
    const struct gs_shares *shares;
    uint64_t ends[GS_SHARES_MAX][PARTS]; /* keys up to each part's end, from the least key on */
    uint64_t counts[GS_SHARES_MAX][PARTS];
    uint64_t offsets[GS_SHARES_MAX]; /* of each share in the output */
    gs_key *keys;                    /* all keys, in the order of the output */
};

/* Count all keys. */
static void count_shares(struct work *all)
{
    struct gs_run *run = all->run;
    uint64_t n = run->plan.count;
    uint64_t start = gs_now_ns();
    gs_run_phase(run, GS_STAGE_COUNT_BINS, n);
#pragma omp parallel num_threads(run->plan.threads)
    {
        uint64_t ends[GS_SHARES_MAX][PARTS] = {{0}};
#pragma omp for schedule(static) nowait
        for (uint64_t first = 0; first < n; first += BLOCK_KEYS) {
            uint64_t left = n - first < BLOCK_KEYS ? n - first : BLOCK_KEYS;
            for (uint64_t done = 0; done < left;) {
                struct gs_tile part = gs_tiles_part(&run->tiles, first + done, left - done);
                gs_key block[BLOCK_KEYS];
                const gs_key *keys = gs_tile_keys(&run->tiles, &part, 0, part.count, block);
                for (uint32_t i = 0; i < all->shares->count; i++) {
                    struct gs_share share = share_at(all->shares, i);
                    gs_share_count(&share, keys, part.count, ends[i]);
                }
                done += part.count;
            }
        }
        for (uint32_t i = 0; i < all->shares->count; i++)
            for (uint32_t part = 0; part < PARTS; part++)
#pragma omp atomic
                all->ends[i][part] += ends[i][part];
    }
    gs_run_account(run, GS_STAGE_COUNT_BINS, GS_DEVICE_CPU, gs_now_ns() - start, n,
                   n * GS_KEY_BYTES);
}

/* Compute where each share will lie; false if keys changed between one share's count and the
 * next's, so that one would end before it begins. */
static bool place_shares(struct work *all)
{
    struct gs_run *run = all->run;
    uint64_t start = gs_now_ns();
    uint64_t before = 0;
    for (uint32_t i = 0; i < all->shares->count; i++) {
        all->offsets[i] = before;
        for (uint32_t part = 0; part < PARTS; part++) {
            if (all->ends[i][part] < before)
                return false;
            all->counts[i][part] = all->ends[i][part] - before;
            before = all->ends[i][part];
        }
        if (run->options->reverse)
            all->offsets[i] = run->plan.count - before;
    }
    gs_run_account(run, GS_STAGE_PREFIX_SUM, GS_DEVICE_CPU, gs_now_ns() - start, 0, 0);
    return true;
}

/* The fingerprint of a share's keys, where they lie to be sorted. */
static uint64_t fingerprint_of(const gs_key *keys, const uint64_t counts[PARTS], gs_key equal)
{
    return gs_fingerprint(keys, counts[0]) + gs_fingerprint(&equal, 1) * counts[1] +
           gs_fingerprint(keys + counts[0] + counts[1], counts[2]);
}

/* Are sorted keys, if any, in [low, high]? */
static bool within(const gs_key *keys, uint64_t count, gs_key low, gs_key high)
{
    return count == 0 || (keys[0] >= low && keys[count - 1] <= high);
}

/* Collect the keys of a share at their places; false if they are not those that were counted. */
static bool take_share(const struct work *all, const struct gs_share *share, gs_key *keys,
                       const uint64_t counts[PARTS])
{
    const struct gs_run *run = all->run;
    struct gs_share_room room = {.below = keys,
                                 .below_end = keys + counts[0],
                                 .above = keys + counts[0] + counts[1],
                                 .above_end = keys + counts[0] + counts[1] + counts[2]};
    for (uint64_t first = 0; first < run->plan.count;) {
        gs_key block[BLOCK_KEYS];
        uint64_t left = run->plan.count - first;
        if (!gs_tiles_are_keys(&run->tiles) && left > BLOCK_KEYS)
            left = BLOCK_KEYS;
        struct gs_tile part = gs_tiles_part(&run->tiles, first, left);
        const gs_key *from = gs_tile_keys(&run->tiles, &part, 0, part.count, block);
        if (!gs_share_take(share, from, part.count, &room))
            return false;
        first += part.count;
    }
    return room.below == room.below_end && room.above == room.above_end;
}

/* Collect, sort and hand out the share that is number `number` in the output. */
static enum gs_status finish_share(const struct work *all, uint32_t number, uint64_t *fingerprint,
                                   uint64_t *take_ns, struct gs_thread_work *work)
{
    struct gs_run *run = all->run;
    uint32_t i = run->options->reverse ? all->shares->count - 1 - number : number;
    struct gs_share share = share_at(all->shares, i);
    const uint64_t *counts = all->counts[i];
    uint64_t count = counts[0] + counts[1] + counts[2];
    gs_key *keys = all->keys + all->offsets[i];
    uint64_t start = gs_now_ns();
    if (!take_share(all, &share, keys, counts))
        return gs_work_fail_changed(run);
    uint64_t taken = gs_now_ns();
    *take_ns += taken - start;
    if (run->options->verify)
        *fingerprint += fingerprint_of(keys, counts, share.equal);
    gs_key *above = keys + counts[0] + counts[1];
    gs_vqsort(keys, counts[0]);
    gs_fill(keys + counts[0], share.equal, counts[1], false);
    gs_vqsort(above, counts[2]);
    if (!within(keys, counts[0], share.low, share.equal) ||
        !within(above, counts[2], share.equal, share.last))
        return gs_work_fail_changed(run);
    uint64_t kept = gs_emit_shape(&run->emitter, keys, count);
    work->sort_ns += gs_now_ns() - taken;
    work->keys_in += count;
    return gs_work_emit(&run->emitter, number, keys, kept, all->offsets[i], work);
}

/* Finish all shares, in the order of the output. */
static void finish_shares(const struct work *all)
{
    struct gs_run *run = all->run;
    uint64_t fingerprint = 0;
    uint64_t take_ns = 0;
    uint64_t start = gs_now_ns();
    atomic_uint next = 0;
    gs_run_phase(run, GS_STAGE_SORT_BINS, run->plan.count);
#pragma omp parallel num_threads(run->plan.threads) reduction(+ : fingerprint, take_ns)
    {
        struct gs_thread_work work = {0};
        for (uint32_t number; (number = atomic_fetch_add(&next, 1)) < all->shares->count;) {
            uint64_t before = work.keys_in;
            if (finish_share(all, number, &fingerprint, &take_ns, &work) != GS_OK)
                break;
            atomic_fetch_add_explicit(&run->progress->done, work.keys_in - before,
                                      memory_order_relaxed);
        }
        gs_work_account(run, &work, run->plan.threads);
    }
    take_ns /= run->plan.threads;
    gs_run_account_at(run, GS_STAGE_SCATTER, GS_DEVICE_CPU, take_ns, start, start + take_ns);
    gs_run_add(run, GS_STAGE_SCATTER, run->plan.count, run->plan.count * 2 * GS_KEY_BYTES);
    run->fingerprint += fingerprint;
}

/* Describe the shares in stats, as bins: the parts that have keys. */
static void describe_shares(const struct work *all)
{
    struct gs_stats *stats = all->run->stats;
    for (uint32_t i = 0; i < all->shares->count; i++)
        for (uint32_t part = 0; part < PARTS; part++) {
            uint64_t count = all->counts[i][part];
            stats->bins += count > 0;
            if (part == 1) {
                stats->equality_bins += count > 0;
                stats->equality_keys += count;
            } else if (count > stats->largest_bin) {
                stats->largest_bin = count;
            }
        }
}

enum gs_status gs_sort_shares(struct gs_run *run, const struct gs_shares *shares, bool *sorted,
                              struct gs_error *err)
{
    bool in_place = gs_emit_in_place(&run->emitter);
    size_t bytes = run->plan.count * sizeof(gs_key);
    struct work all = {.run = run, .shares = shares};
    *sorted = false;
    if (shares->count == 0)
        return GS_OK;
    all.keys = in_place ? gs_sink_keys(run->emitter.sink) : gs_pages_alloc(bytes);
    if (all.keys == NULL)
        return GS_OK; /* the caller falls back to another method */
    count_shares(&all);
    if (place_shares(&all)) {
        finish_shares(&all);
        describe_shares(&all);
    } else {
        gs_work_fail_changed(run);
    }
    if (!in_place)
        gs_pages_free(all.keys, bytes);
    *sorted = true;
    return gs_emit_result(&run->emitter, err);
}

#else

void gs_shares_find(struct gs_shares *shares, const struct gs_run *run, const gs_key *sample,
                    uint32_t samples)
{
    (void)run, (void)sample, (void)samples;
    shares->count = 0;
}

enum gs_status gs_sort_shares(struct gs_run *run, const struct gs_shares *shares, bool *sorted,
                              struct gs_error *err)
{
    (void)run, (void)shares, (void)err;
    *sorted = false;
    return GS_OK;
}

#endif
