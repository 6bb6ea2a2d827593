/* splitters.c -- choose the splitters from a sorted sample and build their guide.
 * SPDX-License-Identifier: MIT
 */
#include "sort/split/splitters.h"
#include "sort/split/u32/vector_steps.h"

#include <stdlib.h>

/* The least average number of sample keys per bin from which keys may be judged random. */
#define EVIDENCE 8

/* Append a splitter, unless it is not above the last one. */
static void add_splitter(struct gs_splitters *splitters, gs_key key)
{
    if (splitters->count > 0 && splitters->splitter[splitters->count - 1] >= key)
        return;
    if (key == GS_KEY_MAX)
        return; /* no key is above it: it bounds the last bin anyway */
    splitters->splitter[splitters->count++] = key;
}

/* The largest key of a cell. */
static gs_key cell_last(const struct gs_splitters *splitters, enum gs_guide guide, uint32_t cell)
{
    gs_key distance; /* of the next cell's least key from base */
    const uint32_t next = cell + 1;
    const uint32_t log = next >> GS_GUIDE_LOG_FRACTION;
    if (next >= GS_GUIDE_CELLS)
        return GS_KEY_MAX;
    if (guide == GS_GUIDE_TOP)
        return ((gs_key)next << (GS_KEY_BITS - GS_GUIDE_LOG2)) - 1;
    if (guide == GS_GUIDE_LINEAR || guide == GS_GUIDE_GAP) {
        if (next > GS_KEY_MAX >> splitters->shift)
            return GS_KEY_MAX;
        distance = (gs_key)next << splitters->shift;
        if (guide == GS_GUIDE_GAP && distance > splitters->gap_at) {
            if (distance > GS_KEY_MAX - splitters->gap)
                return GS_KEY_MAX;
            distance += splitters->gap;
        }
    } else if (log == 0) {
        distance = next;
    } else {
        if (log - 1 + GS_GUIDE_LOG_FRACTION >= GS_KEY_BITS)
            return GS_KEY_MAX;
        distance = (gs_key)(next - ((log - 1) << GS_GUIDE_LOG_FRACTION)) << (log - 1);
    }
    return distance > GS_KEY_MAX - splitters->base ? GS_KEY_MAX : splitters->base + distance - 1;
}

/* Set the first bin of cells [cell, end). */
static void fill_cells(struct gs_splitters *splitters, uint32_t cell, uint32_t end, uint32_t bin)
{
    for (; cell < end; cell++)
        splitters->first[cell] = (uint16_t)bin;
}

/* The last kind of guide that is of use: where vectors take the steps, they are as fast without
 * GS_GUIDE_GAP. */
static enum gs_guide last_guide(void)
{
    return gs_vector_steps() ? GS_GUIDE_LOG : GS_GUIDE_GAP;
}

/* Have cells of 2^shift values: `width` of them are to be told apart. */
static void set_shift(struct gs_splitters *splitters, gs_key width)
{
    splitters->shift = 0;
    while (width >> splitters->shift >= GS_GUIDE_CELLS)
        splitters->shift++;
}

/* The sizes of a guide that counts from the least splitter on. */
static void measure(struct gs_splitters *splitters, enum gs_guide guide)
{
    const gs_key *splitter = splitters->splitter;
    const uint32_t count = splitters->count;
    const gs_key width = count > 0 ? splitter[count - 1] - splitter[0] : 0;
    splitters->base = splitter[0];
    splitters->gap = splitters->gap_at = 0;
    for (uint32_t i = 1; i < count && guide == GS_GUIDE_GAP; i++)
        if (splitter[i] - splitter[i - 1] > splitters->gap) {
            splitters->gap = splitter[i] - splitter[i - 1];
            splitters->gap_at = splitter[i - 1] - splitter[0];
        }
    set_shift(splitters, width - splitters->gap);
}

/* Build a guide of the given kind, whose sizes are measured; return the halving steps that it
 * leaves. */
static uint32_t build_guide(struct gs_splitters *splitters, enum gs_guide guide)
{
    uint32_t bin = 0;
    uint32_t next = 0;   /* cell */
    uint32_t widest = 0; /* most splitters inside a cell */
    splitters->guide = guide;
    while (bin < splitters->count) {
        uint32_t cell = gs_splitters_cell(splitters, guide, splitters->splitter[bin]);
        const gs_key last = cell_last(splitters, guide, cell);
        uint32_t inside = 0;
        fill_cells(splitters, next, cell + 1, bin);
        next = cell + 1;
        /* A splitter below the cell's last key separates keys of the cell, so that the search has
         * to look at it; one that equals the last key does not. */
        for (; bin < splitters->count && splitters->splitter[bin] <= last; bin++)
            inside += splitters->splitter[bin] < last;
        widest = inside > widest ? inside : widest;
    }
    fill_cells(splitters, next, GS_GUIDE_CELLS, bin);
    splitters->steps = 0;
    while (widest >> splitters->steps != 0)
        splitters->steps++;
    return splitters->steps;
}

/* Pad the splitters, then build the guide that leaves fewest steps, of equals the cheapest one. */
static void build_search(struct gs_splitters *splitters)
{
    for (uint32_t i = splitters->count; i < 2 * GS_SPLITTERS_MAX; i++)
        splitters->splitter[i] = GS_KEY_MAX;
    enum gs_guide best = GS_GUIDE_TOP;
    measure(splitters, GS_GUIDE_TOP);
    uint32_t best_steps = build_guide(splitters, GS_GUIDE_TOP);
    for (enum gs_guide guide = GS_GUIDE_LINEAR; guide <= last_guide() && best_steps > 0; guide++) {
        measure(splitters, guide);
        uint32_t steps = build_guide(splitters, guide);
        if (steps < best_steps) {
            best = guide;
            best_steps = steps;
        }
    }
    if (splitters->guide != best) {
        measure(splitters, best);
        build_guide(splitters, best);
    }
}

/* The bits in which keys of one value may differ. */
static gs_key loose_mask(unsigned loose)
{
    return ((gs_key)1 << loose) - 1;
}

void gs_splitters_choose(struct gs_splitters *splitters, const gs_key *sample, uint32_t samples,
                         uint32_t bins, unsigned loose)
{
    assert(bins >= 1 && bins <= GS_BINS_MAX);
    const gs_key mask = loose_mask(loose);
    splitters->count = 0;
    for (uint64_t i = 1; i < bins && samples > 0; i++) {
        uint64_t pick = i * samples / bins;
        gs_key key = sample[pick] | mask;
        /* Heavy: the value fills half of a bin's share of the sample, and at least two keys. */
        uint64_t share = samples / bins / 2;
        share = share > 1 ? share : 1;
        bool heavy = (pick + share < samples && (sample[pick + share] | mask) == key) ||
                     (pick >= share && (sample[pick - share] | mask) == key);
        if (heavy && key > mask)
            add_splitter(splitters, key - mask - 1);
        add_splitter(splitters, key);
    }
    build_search(splitters);
}

/* How many sample keys are at most key. */
static uint32_t rank_of(const gs_key *sample, uint32_t samples, gs_key key)
{
    uint32_t low = 0;
    uint32_t high = samples;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sample[middle] <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The last key of key's cell or of the cell before it, whichever is nearer. */
static gs_key nearest_end(const struct gs_splitters *splitters, enum gs_guide guide, gs_key key)
{
    uint32_t cell = gs_splitters_cell(splitters, guide, key);
    gs_key last = cell_last(splitters, guide, cell);
    gs_key before = cell > 0 ? cell_last(splitters, guide, cell - 1) : 0;
    return cell > 0 && key - before < last - key ? before : last;
}

/* Is splitter i the lower or the upper bound of a bin of one value? */
static bool bounds_single(const struct gs_splitters *splitters, uint32_t i, unsigned loose)
{
    return gs_splitters_single(splitters, i, loose) || gs_splitters_single(splitters, i + 1, loose);
}

/* Copy the splitters to `to`, each moved to the nearest end of a cell if it may move. */
static void snap_to(struct gs_splitters *to, const struct gs_splitters *from, enum gs_guide guide,
                    const gs_key *sample, uint32_t samples, uint32_t tolerance, unsigned loose)
{
    const gs_key mask = loose_mask(loose);
    *to = *from;
    measure(to, guide);
    to->count = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        gs_key key = from->splitter[i];
        gs_key snapped = nearest_end(to, guide, key);
        uint32_t rank = rank_of(sample, samples, key);
        uint32_t moved = rank_of(sample, samples, snapped);
        bool near = (moved > rank ? moved - rank : rank - moved) <= tolerance;
        bool between = i + 1 == from->count || snapped < from->splitter[i + 1];
        bool free = (snapped & mask) == mask && !bounds_single(from, i, loose);
        add_splitter(to, near && between && free ? snapped : key);
    }
    for (uint32_t i = to->count; i < from->count; i++)
        to->splitter[i] = GS_KEY_MAX;
}

/* If the keys were random, each bin of 2^shift values would hold at most its share of the sample
 * plus five standard deviations. Is that so? A sample that is too small to tell, since all of it in
 * one bin would be no more than that, does not count. */
static bool looks_random(const gs_key *sample, uint32_t samples, uint32_t shift)
{
    uint64_t share = samples >> (GS_KEY_BITS - shift);
    uint32_t i = 0;
    const uint64_t rest = samples - share;
    if (share < EVIDENCE || rest * rest <= 25 * share)
        return false;
    const gs_key width = (gs_key)1 << shift;
    for (gs_key last = width - 1; i < samples; last += width) {
        uint64_t first = i;
        while (i < samples && sample[i] <= last)
            i++;
        uint64_t found = i - first;
        if (found > share && (found - share) * (found - share) > 25 * share)
            return false;
    }
    return true;
}

/* Where bin i ends if all are 2^shift values wide. */
static gs_key even_splitter(uint32_t i, uint32_t shift)
{
    return (((gs_key)i + 1) << shift) - 1;
}

/* The guide of such bins. */
static void set_even(struct gs_splitters *splitters, uint32_t shift)
{
    splitters->steps = 0;
    splitters->guide = GS_GUIDE_EVEN;
    splitters->base = 0;
    splitters->shift = shift;
}

/* Make all bins equally wide if the keys look random and no bin has one value only. */
static bool make_even(struct gs_splitters *splitters, const gs_key *sample, uint32_t samples,
                      uint32_t bins, unsigned loose)
{
    uint32_t bits = 0;
    while (2U << bits <= GS_BINS_MAX && 2U << bits <= bins + bins / 3)
        bits++;
    uint32_t shift = GS_KEY_BITS - bits;
    if (bits == 0 || shift < loose || splitters->count != bins - 1 ||
        !looks_random(sample, samples, shift))
        return false;
    for (uint32_t bin = 0; bin < bins; bin++)
        if (gs_splitters_single(splitters, bin, loose))
            return false;
    splitters->count = (1U << bits) - 1;
    set_even(splitters, shift);
    for (uint32_t i = 0; i < 2 * GS_SPLITTERS_MAX; i++)
        splitters->splitter[i] = i < splitters->count ? even_splitter(i, shift) : GS_KEY_MAX;
    return true;
}

/* Are there as many as bins of 2^shift values have, and where these end? */
static bool are_even(const struct gs_splitters *splitters, uint32_t shift)
{
    bool even = true;
    for (uint32_t i = 0; i < splitters->count && even; i++)
        even = splitters->splitter[i] == even_splitter(i, shift);
    return even;
}

bool gs_splitters_adopt(struct gs_splitters *splitters, const gs_key *keys, size_t count)
{
    uint32_t bits = 0;
    splitters->count = 0;
    if (count > GS_SPLITTERS_MAX)
        return false;
    for (size_t i = 0; i < count; i++)
        add_splitter(splitters, keys[i]);
    if (splitters->count < count)
        return false;
    build_search(splitters);
    while (1U << bits <= splitters->count)
        bits++;
    if (bits > 0 && splitters->count == (1U << bits) - 1 && are_even(splitters, GS_KEY_BITS - bits))
        set_even(splitters, GS_KEY_BITS - bits);
    return true;
}

void gs_splitters_snap(struct gs_splitters *splitters, const gs_key *sample, uint32_t samples,
                       uint32_t bins, unsigned loose)
{
    if (make_even(splitters, sample, samples, bins, loose))
        return;
    struct gs_splitters *snapped = malloc(sizeof *snapped);
    if (snapped == NULL)
        return; /* not an error: snapping only makes the search faster */
    for (enum gs_guide guide = GS_GUIDE_TOP; guide <= last_guide() && splitters->steps > 0;
         guide++) {
        snap_to(snapped, splitters, guide, sample, samples, samples / bins / 4, loose);
        if (build_guide(snapped, guide) < splitters->steps)
            *splitters = *snapped;
    }
    free(snapped);
}

void gs_splitters_count(const struct gs_splitters *splitters, const gs_key *sample,
                        uint32_t samples, uint64_t *counts)
{
    uint32_t i = 0;
    for (uint32_t bin = 0; bin <= splitters->count; bin++) {
        counts[bin] = 0;
        for (; i < samples && sample[i] <= gs_splitters_high(splitters, bin); i++)
            counts[bin]++;
    }
}
