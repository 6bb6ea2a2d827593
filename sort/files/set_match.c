/* set_match.c -- which records, that come in order, does the file of --minus or --common have?
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/set_match.h"

#define NEAR 128 /* where the next one is farther away, words of that many are made */

static const char *set_record(const struct gs_set_match *set, uint64_t index)
{
    return (const char *)set->records + index * set->record_bytes;
}

/* Words that are in ascending order. */
static void make_words(const struct gs_set_match *set, const char *record, uint64_t bytes,
                       uint64_t count, uint64_t *words)
{
    struct gs_record_word how = set->order->words[0];
    how.flip ^= set->reverse ? UINT64_MAX : 0;
    if (how.plain)
        for (uint64_t i = 0; i < count; i++)
            words[i] = gs_record_word_plain(&how, record + i * bytes);
    else
        for (uint64_t i = 0; i < count; i++)
            words[i] = gs_record_word_by(&how, record + i * bytes);
}

/* Does a record of the set come before this one, by keys? */
static bool precedes(const struct gs_set_match *set, uint64_t index, const char *record)
{
    const struct gs_record_order *order = set->order;
    const char *other = set_record(set, index);
    const uint64_t a = gs_record_word(order, other);
    const uint64_t b = gs_record_word(order, record);
    if (a != b)
        return (a < b) != set->reverse;
    if (gs_keys_same(set->rows, other, record))
        return false;
    const int sign = gs_record_compare_keys(order, other, record);
    return set->reverse ? sign > 0 : sign < 0;
}

/* Go on to the first record of the set that does not come before this one. */
static void advance(struct gs_set_match *set, const char *record)
{
    const uint64_t count = set->count;
    uint64_t moved = 0, step = 1; /* as in gs_keys_run */
    while (step <= count - set->next && precedes(set, set->next + step - 1, record)) {
        set->next += step;
        moved += step;
        step = moved;
    }
    uint64_t end = count - set->next;
    end = set->next + (step <= end ? step - 1 : end);
    while (set->next < end) {
        const uint64_t middle = set->next + (end - set->next) / 2;
        if (precedes(set, middle, record))
            set->next = middle + 1;
        else
            end = middle;
    }
}

/* The words at hand are those from the next record on: of the first that may be this one, if there
 * are none left. */
static void open_window(struct gs_set_match *set, const char *record)
{
    if (set->next >= set->from && set->next < set->to)
        return;
    const uint64_t before = set->next;
    advance(set, record);
    const uint64_t left = set->count - set->next;
    const uint64_t most = set->next - before < NEAR ? GS_SET_WINDOW : NEAR;
    set->from = set->next;
    set->to = set->from + (left < most ? left : most);
    make_words(set, set_record(set, set->from), set->record_bytes, set->to - set->from, set->words);
}

/* Walk along words of records [from, end) and of the window, both in ascending order. A step waits
 * for the one before: so two are under way at once, with two halves of the records. */
struct leg {
    uint32_t from, end, at;
};

/* A record whose word the set has, too, and where that begins in the window. */
struct candidate {
    uint16_t record, at;
};

static inline bool goes_on(struct leg leg, uint32_t window)
{
    return leg.from < leg.end && leg.at < window;
}

static inline struct leg step(struct leg leg, const uint64_t *words, const uint64_t *others,
                              struct candidate **found)
{
    const uint64_t word = words[leg.from], other = others[leg.at];
    **found = (struct candidate){(uint16_t)leg.from, (uint16_t)leg.at};
    *found += word == other;
    leg.from += word <= other;
    leg.at += word > other;
    return leg;
}

/* The first of the window's words, from this one on, that is not below. */
static uint32_t lower_bound(const uint64_t *others, uint32_t at, uint32_t window, uint64_t word)
{
    for (uint32_t left = window - at; left > 0;) {
        const uint32_t half = left / 2;
        const bool below = others[at + half] < word;
        at += below ? half + 1 : 0;
        left = below ? left - half - 1 : half;
    }
    return at;
}

/* What is found, for so many records, up to that word. */
struct walk {
    uint32_t candidates, done, at;
};

/* Find candidates among so many records, until these or the window end. */
static struct walk walk(const struct gs_set_match *set, const uint64_t *words, uint32_t count,
                        struct candidate *found)
{
    const uint32_t window = (uint32_t)(set->to - set->from);
    const uint32_t at = (uint32_t)(set->next - set->from);
    const uint32_t middle = count / 2;
    struct candidate later[GS_SET_BLOCK / 2 + 2], *a = found, *b = later;
    struct leg one = {0, middle, at};
    struct leg two = {middle, count, lower_bound(set->words, at, window, words[middle])};
    while (goes_on(one, window) && goes_on(two, window)) {
        one = step(one, words, set->words, &a);
        two = step(two, words, set->words, &b);
    }
    while (goes_on(one, window))
        one = step(one, words, set->words, &a);
    while (goes_on(two, window))
        two = step(two, words, set->words, &b);
    memcpy(a, later, (size_t)(b - later) * sizeof *b);
    const uint32_t done = one.from < middle ? one.from : two.from;
    return (struct walk){.candidates = (uint32_t)(a - found) + (uint32_t)(b - later),
                         .done = set->to == set->count ? count : done,
                         .at = two.at};
}

/* How many of the set have the keys of this record, from the next one on? */
static uint64_t run_at_next(const struct gs_set_match *set, const char *record)
{
    return gs_keys_run(set->rows, record, set_record(set, set->next), set->record_bytes,
                       set->count - set->next);
}

/* Of `run` records with the keys of this one, how many are paired? The keys are the last ones that
 * the set has, or not before its next one. */
static uint64_t pair(struct gs_set_match *set, const char *record, uint64_t run)
{
    if (set->match == NULL || !gs_keys_same(set->rows, set->match, record)) {
        uint64_t matches = run_at_next(set, record);
        if (matches == 0) {
            advance(set, record);
            matches = run_at_next(set, record);
        }
        if (matches == 0)
            return 0;
        set->match = set_record(set, set->next);
        set->matches = matches;
        set->next += matches;
    }
    if (set->once)
        return run;
    const uint64_t paired = run < set->matches ? run : set->matches;
    set->matches -= paired;
    return paired;
}

/* Pair candidates; most often, the word of one is that of no other record on either side. */
static void pair_found(struct gs_set_match *set, const char *records, uint64_t bytes,
                       const uint64_t *words, const struct walk *way, const struct candidate *found,
                       bool *paired)
{
    for (uint64_t i = 0, done = 0; i < way->candidates; i++) {
        const uint64_t at = found[i].record, place = set->from + found[i].at;
        const char *record = records + at * bytes, *other = set_record(set, place);
        if (at < done)
            continue;
        if (set->next < place)
            set->next = place;
        const bool again = at + 1 < way->done && words[at + 1] == words[at];
        if (again || (at > 0 && words[at - 1] == words[at]) || place + 1 == set->to ||
            set->words[found[i].at + 1] == words[at]) {
            const uint64_t run = gs_keys_run(set->rows, record, record, bytes, way->done - at);
            memset(paired + at, true, pair(set, record, run));
            done = at + run;
        } else if (gs_keys_same(set->rows, other, record)) {
            paired[at] = true;
            set->match = other;
            set->matches = 0; /* no more of them; if it folds, that does not matter */
            set->next = place + 1;
        }
    }
}

uint32_t gs_set_match(struct gs_set_match *set, const char *records, uint64_t bytes, uint64_t count,
                      bool *paired)
{
    uint64_t words[GS_SET_BLOCK], run = 0;
    struct candidate found[GS_SET_BLOCK + 1];
    const uint32_t block = count < GS_SET_BLOCK ? (uint32_t)count : GS_SET_BLOCK;
    struct walk way;
    memset(paired, 0, block * sizeof *paired);
    if (set->match != NULL) /* what the set's next record is behind */
        run = gs_keys_run(set->rows, set->match, records, bytes, block);
    if (run == 0 && gs_keys_same(set->rows, records, records + (block - 1) * bytes))
        run = block;
    if (run > 0) {
        memset(paired, true, pair(set, records, run));
        return (uint32_t)run;
    }
    make_words(set, records, bytes, block, words);
    do {
        open_window(set, records);
        way = walk(set, words, block, found);
        pair_found(set, records, bytes, words, &way, found, paired);
        if (set->next < set->from + way.at)
            set->next = set->from + way.at;
    } while (way.done == 0);
    return way.done;
}
