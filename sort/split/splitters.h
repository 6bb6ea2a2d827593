/* splitters.h -- the bounds of the bins, and the search for a key's bin.
 * SPDX-License-Identifier: MIT
 *
 * Splitters are ascending and unique. Splitter b is the largest key that bin b may hold: bin b is
 * (splitter[b-1], splitter[b]], and the last bin holds everything above the last splitter; so a
 * key's bin is the number of splitters less than the key. An equality bin, for all keys of one
 * value v, needs no special case: it is a bin of width one, between the splitters v-1 and v.
 *
 * The search is a table look-up in the guide and a fixed number of branch-free halving steps. The
 * guide divides the key range into cells: of equal width over all keys (GS_GUIDE_TOP) or from the
 * least splitter on (GS_GUIDE_LINEAR), or narrower towards the low end, like floating-point numbers
 * (GS_GUIDE_LOG), or linear without the widest gap between splitters (GS_GUIDE_GAP: keys in two
 * places far from each other), whichever leaves fewest steps. A cell stores the first bin that its
 * keys may fall into. No cell has more than 2^steps - 1 splitters inside, besides one at its last
 * key; the search may overrun the cell, since splitters behind it are above all its keys. If all
 * bins are equally wide, the cell is the bin, and neither table nor steps are needed
 * (GS_GUIDE_EVEN).
 *
 * [Leischner, Osipov, Sanders: GPU sample sort, 2010; Axtmann, Witt, Ferizovic, Sanders: In-place
 * parallel super scalar samplesort, 2017, for the branch-free search.]
 */
#ifndef GS_SPLITTERS_H
#define GS_SPLITTERS_H

#include "common/formats/keys.h"
#include "sort/keys/params.h"

#include <assert.h>
#include <stdbool.h>

/* Each wanted bin may add one equality bin. */
#define GS_SPLITTERS_MAX (2 * GS_BINS_MAX)

enum gs_guide { GS_GUIDE_TOP, GS_GUIDE_LINEAR, GS_GUIDE_LOG, GS_GUIDE_GAP, GS_GUIDE_EVEN };

struct gs_splitters {
    uint32_t count;      /* splitters; bins = count + 1 */
    uint32_t steps;      /* halving steps after the guide */
    enum gs_guide guide; /* the map from key to cell */
    gs_key base;         /* the least splitter: cells of LINEAR, LOG and GAP count from it */
    gs_key gap_at;       /* distance from base of the splitter before the gap, */
    gs_key gap;          /* and from there to the next one */
    uint32_t shift;      /* width of a cell of LINEAR, GAP or EVEN, as its logarithm */
    /* Padded with GS_KEY_MAX, which no key exceeds, so that a search may run past the end. */
    gs_key splitter[2 * GS_SPLITTERS_MAX];
    uint16_t first[GS_GUIDE_CELLS]; /* per cell: the least bin of its keys */
};

/* A log guide splits each power of two into this many cells (as its logarithm). */
#define GS_GUIDE_LOG_FRACTION (GS_KEY_BITS > 64 ? 6 : 7)

static_assert((GS_KEY_BITS + 1 - GS_GUIDE_LOG_FRACTION) << GS_GUIDE_LOG_FRACTION <= GS_GUIDE_CELLS,
              "a log guide has a cell for every distance");
static_assert(GS_SPLITTERS_MAX < 1 << 16, "a cell holds its first bin in 16 bits");

/* The cell of a key; but for TOP and EVEN, keys up to base are in cell 0. */
static inline uint32_t gs_splitters_cell(const struct gs_splitters *splitters, enum gs_guide guide,
                                         gs_key key)
{
    if (guide == GS_GUIDE_TOP)
        return (uint32_t)(key >> (GS_KEY_BITS - GS_GUIDE_LOG2));
    if (guide == GS_GUIDE_EVEN)
        return (uint32_t)(key >> splitters->shift);
    gs_key distance = key > splitters->base ? key - splitters->base : 0;
    if (guide == GS_GUIDE_GAP) {
        const gs_key behind = distance > splitters->gap ? distance - splitters->gap : 0;
        distance = distance <= splitters->gap_at ? distance
                   : behind > splitters->gap_at  ? behind
                                                 : splitters->gap_at;
    }
    if (guide == GS_GUIDE_LINEAR || guide == GS_GUIDE_GAP) {
        gs_key cell = distance >> splitters->shift;
        return cell < GS_GUIDE_CELLS ? (uint32_t)cell : GS_GUIDE_CELLS - 1;
    }
    uint32_t octave = GS_KEY_BITS - 1 - gs_key_clz(distance | (gs_key)1 << GS_GUIDE_LOG_FRACTION);
    octave -= GS_GUIDE_LOG_FRACTION;
    return (octave << GS_GUIDE_LOG_FRACTION) + (uint32_t)(distance >> octave);
}

/* The bin of a key. guide and steps are those of the splitters; where they are passed as constants,
 * the compiler generates straight-line code. */
static inline uint32_t gs_splitters_bin(const struct gs_splitters *splitters, enum gs_guide guide,
                                        uint32_t steps, gs_key key)
{
    uint32_t cell = gs_splitters_cell(splitters, guide, key);
    if (guide == GS_GUIDE_EVEN)
        return cell;
    uint32_t bin = splitters->first[cell];
    for (uint32_t half = (1U << steps) >> 1; half != 0; half >>= 1)
        bin += (uint32_t)(splitters->splitter[bin + half - 1] < key) * half; /* no branch */
    return bin;
}

/* The least and the largest key that a bin may hold. */
static inline gs_key gs_splitters_low(const struct gs_splitters *splitters, uint32_t bin)
{
    return bin == 0 ? 0 : splitters->splitter[bin - 1] + 1;
}

static inline gs_key gs_splitters_high(const struct gs_splitters *splitters, uint32_t bin)
{
    return bin == splitters->count ? GS_KEY_MAX : splitters->splitter[bin];
}

/* True for an equality bin: it holds one value only. */
static inline bool gs_splitters_equal(const struct gs_splitters *splitters, uint32_t bin)
{
    return gs_splitters_low(splitters, bin) == gs_splitters_high(splitters, bin);
}

/* Does a bin hold keys only that agree above their `loose` lowest bits? */
static inline bool gs_splitters_single(const struct gs_splitters *splitters, uint32_t bin,
                                       unsigned loose)
{
    return (gs_splitters_low(splitters, bin) ^ gs_splitters_high(splitters, bin)) >> loose == 0;
}

/* Choose splitters for about `bins` bins from a sorted sample, and build the guide. A value that
 * fills half of a bin's share of the sample gets an equality bin. Keys that agree above their
 * `loose` lowest bits are one value, and share a bin. */
void gs_splitters_choose(struct gs_splitters *splitters, const gs_key *sample, uint32_t samples,
                         uint32_t bins, unsigned loose);

/* Make the search cheaper. If the sample shows keys uniform over all values, make all bins equally
 * wide, a power of two of them, at most a third more than wanted. Else, if that leaves fewer
 * halving steps, move splitters to ends of the guide's cells where, by the sample, each splitter
 * moves past at most a quarter of a bin's share. Bounds of bins of one value stay. The others are
 * the arguments of gs_splitters_choose. Only for a scatter on the CPU: a GPU searches its own
 * tables (gs_build_tables_gpu), made for splitters as they were chosen. */
void gs_splitters_snap(struct gs_splitters *splitters, const gs_key *sample, uint32_t samples,
                       uint32_t bins, unsigned loose);

/* Take the splitters of another run, and build the guide. False if they are not ascending, or too
 * many. */
bool gs_splitters_adopt(struct gs_splitters *splitters, const gs_key *keys, size_t count);

/* Count the keys of a sorted sample in each bin. */
void gs_splitters_count(const struct gs_splitters *splitters, const gs_key *sample,
                        uint32_t samples, uint64_t *counts);

#endif
