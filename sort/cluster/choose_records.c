/* choose_records.c -- splitters of records by which all ranks get equal shares.
 * SPDX-License-Identifier: MIT
 *
 * Each rank draws a sample in proportion to what it brings and sorts it. The splitters are exact
 * quantiles of all samples together, which no rank has: in each round, a candidate for each
 * splitter, drawn from what is left of all samples, is compared by all ranks with theirs, and what
 * lies on its wrong side is left no more. That takes about 1.4 rounds for each bit of the number of
 * samples. With SAMPLES for each rank, a share is off by sqrt(2 / SAMPLES) = 0.3 % in the mean.
 */
#include "sort/cluster/choose_records.h"

#include "sort/cluster/sample.h"
#include "sort/cluster/wire.h"

#include "common/random.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES        ((uint64_t)1 << 18)
#define CANDIDATE_SEED 0x63616e64U

/* The most bytes that one call of MPI reduces. */
#define REDUCE_BYTES ((size_t)64 << 20)

__extension__ typedef unsigned __int128 wide;

/* This rank's sample, sorted. */
struct sample {
    const struct gs_record_ranges *ranges;
    struct gs_placed_record *records;
    uint64_t count;
};

/* A splitter that is being found. */
struct search {
    uint64_t target; /* samples of all ranks that are to be before it, */
    uint64_t before; /* and those that are before all that are left */
    uint64_t low;    /* what is left of this rank's sample: from here */
    uint64_t high;   /* to here */
    bool found;
};

/* What a round needs. */
struct round {
    struct gs_record_ranges *ranges;
    const struct sample *sample;
    struct search *searches; /* one for each splitter, as all that follow */
    uint64_t *left;     /* how many of this rank's sample are, then, how many of these precede the
                         * candidate, */
    uint64_t *sums;     /* and of all samples */
    uint64_t *all_left; /* how many of each rank's are */
    unsigned *owners;   /* the rank that has the candidate, */
    uint64_t *chosen;   /* and where in its sample */
    char *candidates;   /* their records, each with its position behind it */
    size_t candidate_bytes;
};

static void take(void *context, uint64_t i, const char *record, uint64_t position)
{
    struct sample *sample = context;
    sample->records[i] = gs_record_ranges_place(sample->ranges, record, position);
}

static int compare_samples(const void *a, const void *b, void *ranges)
{
    if (gs_record_ranges_before(ranges, a, b))
        return -1;
    if (gs_record_ranges_before(ranges, b, a))
        return 1;
    return 0;
}

/* How many of the samples from `low` to `high` precede a record. */
static uint64_t count_before(const struct sample *sample, uint64_t low, uint64_t high,
                             const struct gs_placed_record *record)
{
    const uint64_t begin = low;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (gs_record_ranges_before(sample->ranges, &sample->records[middle], record))
            low = middle + 1;
        else
            high = middle;
    }
    return low - begin;
}

/* Draw a candidate for each splitter, by the same numbers on all ranks. */
static enum gs_status draw_candidates(struct round *round, uint64_t number, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const unsigned splitters = round->ranges->count - 1;
    const size_t record_bytes = round->ranges->order.format.record_bytes;
    const size_t bytes = splitters * round->candidate_bytes;
    for (unsigned j = 0; j < splitters; j++)
        round->left[j] = round->searches[j].high - round->searches[j].low;
    GS_TRY(gs_cluster_gather(round->left, splitters * sizeof *round->left, round->all_left, err));
    memset(round->candidates, 0, bytes);
    for (unsigned j = 0; j < splitters; j++) {
        const struct search *search = &round->searches[j];
        uint64_t sum = 0;
        unsigned owner = 0;
        for (unsigned rank = 0; rank < round->ranges->count; rank++)
            sum += round->all_left[(size_t)rank * splitters + j];
        if (search->found)
            continue;
        if (sum == 0) /* on all ranks */
            return gs_fail(err, GS_ERR_INPUT, 0, "the input has changed meanwhile");
        uint64_t pick = gs_random(CANDIDATE_SEED + number, j) % sum;
        for (; pick >= round->all_left[(size_t)owner * splitters + j]; owner++)
            pick -= round->all_left[(size_t)owner * splitters + j];
        round->owners[j] = owner;
        round->chosen[j] = search->low + pick;
        if (owner != round->ranges->rank)
            continue;
        char *to = round->candidates + j * round->candidate_bytes;
        const struct gs_placed_record *placed = &round->sample->records[round->chosen[j]];
        memcpy(to, placed->record, record_bytes);
        memcpy(to + record_bytes, &placed->position, sizeof placed->position);
    }
    /* One rank has a candidate, the others zeros. */
    for (size_t at = 0; at < bytes; at += REDUCE_BYTES) {
        const int here = (int)(bytes - at < REDUCE_BYTES ? bytes - at : REDUCE_BYTES);
        GS_MPI(MPI_Allreduce(MPI_IN_PLACE, round->candidates + at, here, MPI_BYTE, MPI_BOR,
                             MPI_COMM_WORLD));
    }
cleanup:
    return st;
}

/* Candidate j as a record that can be compared. */
static struct gs_placed_record read_candidate(const struct round *round, unsigned j)
{
    const char *from = round->candidates + j * round->candidate_bytes;
    struct gs_placed_record candidate = gs_record_ranges_place(round->ranges, from, 0);
    candidate.rank = round->owners[j];
    memcpy(&candidate.position, from + round->ranges->order.format.record_bytes,
           sizeof candidate.position);
    return candidate;
}

/* The candidate of splitter j, which `before` of all samples precede: is it what is searched for,
 * or what else can be? */
static void narrow(struct round *round, unsigned j, uint64_t before)
{
    struct search *search = &round->searches[j];
    const struct gs_record_ranges *ranges = round->ranges;
    const size_t record_bytes = ranges->order.format.record_bytes;
    const uint64_t place = search->low + round->left[j];
    if (before == search->target) {
        struct gs_placed_record *splitter = &ranges->splitters[j];
        *splitter = read_candidate(round, j);
        splitter->record = memcpy(ranges->bytes + j * record_bytes, splitter->record, record_bytes);
        search->found = true;
    } else if (before < search->target) {
        search->low = place + (round->owners[j] == ranges->rank);
        search->before = before + 1;
    } else {
        search->high = place;
    }
}

/* One round. *more: some splitter is not found yet. */
static enum gs_status play(struct round *round, uint64_t number, bool *more, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const unsigned splitters = round->ranges->count - 1;
    GS_TRY(draw_candidates(round, number, err));
    for (unsigned j = 0; j < splitters; j++) {
        const struct search *search = &round->searches[j];
        const struct gs_placed_record candidate = read_candidate(round, j);
        if (search->found)
            round->left[j] = 0;
        else if (round->owners[j] == round->ranges->rank) /* even if the input changes meanwhile */
            round->left[j] = round->chosen[j] - search->low;
        else
            round->left[j] = count_before(round->sample, search->low, search->high, &candidate);
    }
    memcpy(round->sums, round->left, splitters * sizeof *round->sums);
    GS_MPI(MPI_Allreduce(MPI_IN_PLACE, round->sums, (int)splitters, MPI_UINT64_T, MPI_SUM,
                         MPI_COMM_WORLD));
    *more = false;
    for (unsigned j = 0; j < splitters; j++) {
        if (!round->searches[j].found)
            narrow(round, j, round->searches[j].before + round->sums[j]);
        *more = *more || !round->searches[j].found;
    }
cleanup:
    return st;
}

static void close_round(struct round *round)
{
    free(round->searches);
    free(round->left);
    free(round->sums);
    free(round->all_left);
    free(round->owners);
    free(round->chosen);
    free(round->candidates);
}

static enum gs_status open_round(struct round *round, struct gs_error *err)
{
    const size_t count = round->ranges->count;
    round->candidate_bytes = round->ranges->order.format.record_bytes + sizeof(uint64_t);
    round->searches = calloc(count, sizeof *round->searches);
    round->left = calloc(count, sizeof *round->left);
    round->sums = calloc(count, sizeof *round->sums);
    round->all_left = calloc(count * count, sizeof *round->all_left);
    round->owners = calloc(count, sizeof *round->owners);
    round->chosen = calloc(count, sizeof *round->chosen);
    round->candidates = calloc(count, round->candidate_bytes);
    if (round->searches == NULL || round->left == NULL || round->sums == NULL ||
        round->all_left == NULL || round->owners == NULL || round->chosen == NULL ||
        round->candidates == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%zu ranges", count);
    return GS_OK;
}

enum gs_status gs_record_ranges_choose(struct gs_record_ranges *ranges,
                                       const struct gs_cluster *cluster,
                                       const struct gs_span *spans, uint64_t keys, uint64_t total,
                                       struct gs_error *err)
{
    struct sample sample = {.ranges = ranges,
                            .count = gs_sample_size(keys, total, SAMPLES, ranges->count)};
    struct round round = {.ranges = ranges, .sample = &sample};
    uint64_t samples = sample.count;
    ranges->rank = (uint64_t)cluster->rank;
    enum gs_status st = open_round(&round, err);
    sample.records = malloc((sample.count + 1) * sizeof *sample.records);
    if (st == GS_OK && sample.records == NULL)
        st = gs_fail(err, GS_ERR_MEMORY, ENOMEM, "sample");
    GS_TRY(gs_cluster_agree(cluster, st, err));
    gs_sample_draw(spans, ranges->order.format.record_bytes, keys, sample.count, take, &sample);
    qsort_r(sample.records, sample.count, sizeof *sample.records, compare_samples, ranges);
    GS_MPI(MPI_Allreduce(MPI_IN_PLACE, &samples, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD));
    for (unsigned j = 0; j + 1 < ranges->count; j++)
        round.searches[j] = (struct search){
            .target = (uint64_t)((wide)samples * (j + 1) / ranges->count), .high = sample.count};
    bool more = samples > 0 && ranges->count > 1; /* else nobody will ask */
    for (uint64_t number = 0; more; number++)
        GS_TRY(play(&round, number, &more, err));
cleanup:
    free(sample.records);
    close_round(&round);
    return st;
}
