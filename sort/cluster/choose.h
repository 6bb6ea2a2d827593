/* choose.h -- splitters by which all ranks get equal shares, for elements and for records.
 * SPDX-License-Identifier: MIT
 *
 * Each rank draws a sample in proportion to what it brings and sorts it. The splitters are exact
 * quantiles of all samples together, which no rank has: in each round, one of what is left of all
 * samples is the candidate for each splitter. All ranks count what is before it in theirs, and what
 * lies on its wrong side is left no more. That takes about 1.4 rounds for each bit of the number of
 * samples [after Harsh, Kale, Solomonik: Histogram sort with sampling, 2019; Saukas, Song: A note
 * on parallel selection on coarse-grained multicomputers, 1999, for weighting what is left].
 */
#ifndef GS_CHOOSE_H
#define GS_CHOOSE_H

#include "sort/cluster.h"

/* Samples in order, as the kind of records has them; a first member of what that needs besides. */
struct gs_chooser {
    unsigned ranges;
    int rank;               /* of this process */
    uint64_t samples;       /* that it has */
    size_t candidate_bytes; /* of a sample on its way to other ranks */
    /* Copy sample i there. */
    void (*copy)(const struct gs_chooser *chooser, uint64_t i, char *candidate);
    /* Is sample i below a candidate of some rank, equal to it, or above it? */
    int (*compare)(const struct gs_chooser *chooser, uint64_t i, const char *candidate, int owner);
    /* The candidate is splitter i: of the samples that are equal to it, so many are below. */
    void (*take)(const struct gs_chooser *chooser, unsigned i, const char *candidate, int owner,
                 uint64_t below, uint64_t equal);
};

/* Choose all splitters; collective. Fails if samples have changed meanwhile. */
enum gs_status gs_choose(const struct gs_chooser *chooser, const struct gs_cluster *cluster,
                         struct gs_error *err);

#endif
