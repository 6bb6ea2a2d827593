/* choose.c -- splitters by which all ranks get equal shares, for elements and for records.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cluster/choose.h"

#include "sort/cluster/ranges.h"
#include "sort/cluster/wire.h"

#include "common/random.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OWNER_SEED     0x6f776e65U
#define CANDIDATE_SEED 0x63616e64U

/* The most bytes that one call of MPI reduces. */
#define REDUCE_BYTES ((size_t)64 << 20)

/* A splitter that is being found. */
struct search {
    uint64_t target;    /* samples of all ranks that are to be below it, */
    uint64_t before;    /* and those that are below all that are left */
    uint64_t low, high; /* what is left of this rank's samples: from here to here */
    uint64_t chosen;    /* the candidate, if this rank has it */
    bool found;
};

/* Who has the candidate: the rank whose draw is the highest. As MPI_DOUBLE_INT. */
struct owner {
    double draw;
    int rank;
};

/* What is below a candidate of what is left, and equal to it. */
struct counts {
    uint64_t below, equal;
};

/* What a round needs, one of each for each splitter. */
struct round {
    struct search *searches;
    struct owner *owners;
    struct counts *own, *all; /* of this rank's samples, and of all */
    char *candidates;
};

/* Draw owners, by what is left to each rank: of numbers u^(1/n), the highest is that of a rank in
 * proportion to its n. Their logarithms do as well. */
static enum gs_status draw_owners(const struct gs_chooser *chooser, const struct round *round,
                                  uint64_t number, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const unsigned splitters = chooser->ranges - 1;
    for (unsigned i = 0; i < splitters; i++) {
        const struct search *search = &round->searches[i];
        const uint64_t left = search->high - search->low;
        const uint64_t place = (uint64_t)i * chooser->ranges + (unsigned)chooser->rank;
        const double u = ((double)gs_random(OWNER_SEED + number, place) + 1) / 0x1p64;
        round->owners[i] =
            (struct owner){left > 0 ? log(u) / (double)left : -INFINITY, chooser->rank};
    }
    GS_MPI(MPI_Allreduce(MPI_IN_PLACE, round->owners, (int)splitters, MPI_DOUBLE_INT, MPI_MAXLOC,
                         MPI_COMM_WORLD));
    for (unsigned i = 0; i < splitters; i++)
        if (!round->searches[i].found && isinf(round->owners[i].draw)) /* on all ranks */
            return gs_fail(err, GS_ERR_INPUT, 0, "the input has changed meanwhile");
cleanup:
    return st;
}

/* Each rank copies the candidates that it has for all. */
static enum gs_status share_candidates(const struct gs_chooser *chooser, const struct round *round,
                                       uint64_t number, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const unsigned splitters = chooser->ranges - 1;
    const size_t bytes = splitters * chooser->candidate_bytes;
    memset(round->candidates, 0, bytes);
    for (unsigned i = 0; i < splitters; i++) {
        struct search *search = &round->searches[i];
        const uint64_t left = search->high - search->low; /* not 0 where it is the owner */
        if (search->found || round->owners[i].rank != chooser->rank || left == 0)
            continue;
        search->chosen = search->low + gs_random(CANDIDATE_SEED + number, i) % left;
        chooser->copy(chooser, search->chosen, round->candidates + i * chooser->candidate_bytes);
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

/* The first of samples low to high that compares at least so with a candidate. */
static uint64_t find(const struct gs_chooser *chooser, const char *candidate, int owner, int least,
                     uint64_t low, uint64_t high)
{
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (chooser->compare(chooser, middle, candidate, owner) < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Count what is left of this rank's samples. Who has the candidate counts that as one that is
 * equal, even if the input changes meanwhile. */
static struct counts count_own(const struct gs_chooser *chooser, const struct search *search,
                               const char *candidate, int owner)
{
    if (search->found)
        return (struct counts){0, 0};
    uint64_t low = find(chooser, candidate, owner, 0, search->low, search->high);
    uint64_t high = find(chooser, candidate, owner, 1, low, search->high);
    if (owner == chooser->rank) {
        low = low < search->chosen ? low : search->chosen;
        high = high > search->chosen ? high : search->chosen + 1;
    }
    return (struct counts){low - search->low, high - low};
}

/* Compare all candidates with what is left. *more: some splitter is not found yet. */
static enum gs_status compare_candidates(const struct gs_chooser *chooser,
                                         const struct round *round, bool *more,
                                         struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const unsigned splitters = chooser->ranges - 1;
    const size_t bytes = chooser->candidate_bytes;
    for (unsigned i = 0; i < splitters; i++)
        round->own[i] = count_own(chooser, &round->searches[i], round->candidates + i * bytes,
                                  round->owners[i].rank);
    GS_MPI(MPI_Allreduce(round->own, round->all, (int)(2 * splitters), MPI_UINT64_T, MPI_SUM,
                         MPI_COMM_WORLD));
    *more = false;
    for (unsigned i = 0; i < splitters; i++) {
        struct search *search = &round->searches[i];
        const uint64_t before = search->before + round->all[i].below;
        const uint64_t equal = round->all[i].equal;
        if (search->found)
            continue;
        if (search->target < before) {
            search->high = search->low + round->own[i].below;
        } else if (search->target >= before + equal) {
            search->low += round->own[i].below + round->own[i].equal;
            search->before = before + equal;
        } else {
            chooser->take(chooser, i, round->candidates + i * bytes, round->owners[i].rank,
                          search->target - before, equal);
            search->found = true;
        }
        *more = *more || !search->found;
    }
cleanup:
    return st;
}

enum gs_status gs_choose(const struct gs_chooser *chooser, const struct gs_cluster *cluster,
                         struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const size_t count = chooser->ranges;
    uint64_t samples = chooser->samples;
    struct round round = {.searches = calloc(count, sizeof *round.searches),
                          .owners = calloc(count, sizeof *round.owners),
                          .own = calloc(count, sizeof *round.own),
                          .all = calloc(count, sizeof *round.all),
                          .candidates = calloc(count, chooser->candidate_bytes)};
    const bool enough = round.searches != NULL && round.owners != NULL && round.own != NULL &&
                        round.all != NULL && round.candidates != NULL;
    if (!enough)
        st = gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%zu ranges", count);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    GS_TRY(enough ? GS_OK : GS_ERR_MEMORY); /* which was agreed on */
    GS_MPI(MPI_Allreduce(MPI_IN_PLACE, &samples, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD));
    for (unsigned i = 0; i + 1 < count; i++)
        round.searches[i] = (struct search){
            .target = (uint64_t)((gs_u128)samples * (i + 1) / count), .high = chooser->samples};
    bool more = samples > 0 && count > 1; /* else nobody will ask */
    for (uint64_t number = 0; more; number++) {
        GS_TRY(draw_owners(chooser, &round, number, err));
        GS_TRY(share_candidates(chooser, &round, number, err));
        GS_TRY(compare_candidates(chooser, &round, &more, err));
    }
cleanup:
    free(round.searches);
    free(round.owners);
    free(round.own);
    free(round.all);
    free(round.candidates);
    return st;
}
