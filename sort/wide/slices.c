/* slices.c -- sorted runs in temporary files, and slices of all of them.
 * SPDX-License-Identifier: MIT
 */
#include "sort/wide/slices.h"

#include <stdlib.h>
#include <string.h>

/* Samples take at most 1 / SAMPLES_PART of memory, unless they are fewer than SAMPLES_LEAST of a
 * run. */
#define SAMPLES_PART  16
#define SAMPLES_LEAST 4
/* Bytes of a run that are read at once to find a cut. */
#define CUT_BYTES ((size_t)16 << 10)

/* Does a come before b, as far as cuts can tell: under unique, equal keys stay together. */
static int compare_cuts(const struct gs_options *options, const void *a, const void *b)
{
    const struct gs_record_order *order = options->records;
    if (options->unique && gs_record_same_keys(order, a, b))
        return 0;
    const int sign = gs_record_compare(order, a, b);
    return options->reverse ? -sign : sign;
}

enum gs_status gs_slices_open(struct gs_slices *slices, const struct gs_options *options,
                              const struct gs_external *source, uint64_t samples_each,
                              struct gs_error *err)
{
    const bool is_known = source->read == NULL && source->held_bytes == 0;
    *slices = (struct gs_slices){.options = options,
                                 .source = source,
                                 .journal = is_known ? source->journal : NULL,
                                 .samples_each = samples_each};
    return gs_spill_open(&slices->spill, source->directories, source->directory_count,
                         source->direct, err);
}

void gs_slices_close(struct gs_slices *slices)
{
    gs_spill_close(&slices->spill);
    free(slices->runs);
    free(slices->samples);
    free(slices->cuts);
}

enum gs_status gs_slices_check(struct gs_slices *slices, uint64_t count, struct gs_error *err)
{
    return gs_spill_check(&slices->spill, count * gs_record_bytes(slices->options),
                          slices->source->output_device, slices->source->output_bytes, err);
}

/* Make an array of elements larger, if it is full. */
static enum gs_status grow(void **array, size_t *room, size_t count, size_t bytes,
                           struct gs_error *err)
{
    if (count < *room)
        return GS_OK;
    const size_t more = 2 * count + 16;
    void *larger = realloc(*array, more * bytes);
    if (larger == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to sort");
    *array = larger;
    *room = more;
    return GS_OK;
}

enum gs_status gs_slices_add(struct gs_slices *slices, uint64_t count,
                             const struct gs_place **place, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_sorted_run run = {.count = count};
    void *runs = slices->runs;
    GS_TRY(grow(&runs, &slices->run_room, slices->run_count, sizeof run, err));
    slices->runs = runs;
    GS_TRY(
        gs_spill_place(&slices->spill, count * gs_record_bytes(slices->options), &run.place, err));
    slices->runs[slices->run_count] = run;
    *place = &slices->runs[slices->run_count++].place;
cleanup:
    return st;
}

/* Read record i of a run. */
static enum gs_status read_record(const struct gs_slices *slices, const struct gs_sorted_run *run,
                                  uint64_t i, void *to, struct gs_error *err)
{
    const uint64_t bytes = gs_record_bytes(slices->options);
    return gs_spill_read(&slices->spill, &run->place, i * bytes, to, bytes, err);
}

/* Drop every other sample of each run, and draw half as many from now on. */
static void thin_out(struct gs_slices *slices)
{
    const uint64_t bytes = gs_record_bytes(slices->options);
    size_t kept = 0;
    slices->samples_each = slices->samples_each / 2 + 1;
    for (size_t r = 0; r < slices->run_count; r++) {
        struct gs_sorted_run *run = &slices->runs[r];
        const size_t first = kept;
        for (size_t i = 0; i < run->sample_count; i += 2, kept++)
            memmove(slices->samples + kept * bytes,
                    slices->samples + (run->first_sample + i) * bytes, bytes);
        run->first_sample = first;
        run->sample_count = kept - first;
        run->step *= 2;
    }
    slices->sample_count = kept;
}

enum gs_status gs_slices_sample(struct gs_slices *slices, uint64_t count, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t bytes = gs_record_bytes(slices->options);
    const uint64_t most = slices->source->memory_bytes / SAMPLES_PART / bytes;
    while (slices->samples_each > SAMPLES_LEAST &&
           slices->sample_count + slices->samples_each > most)
        thin_out(slices);
    const uint64_t each = slices->samples_each < count ? slices->samples_each : count;
    struct gs_sorted_run *run = &slices->runs[slices->run_count - 1];
    run->count = count;
    run->first_sample = slices->sample_count;
    run->sample_count = each;
    run->step = each > 0 ? count / each : 0;
    for (uint64_t i = 0; i < each; i++) {
        void *samples = slices->samples;
        GS_TRY(grow(&samples, &slices->sample_room, slices->sample_count, bytes, err));
        slices->samples = samples;
        GS_TRY(read_record(slices, run, i * run->step,
                           slices->samples + slices->sample_count * bytes, err));
        slices->sample_count++;
    }
cleanup:
    return st;
}

/* For qsort_r. */
static int compare_samples(const void *a, const void *b, void *options)
{
    return compare_cuts(options, *(const char *const *)a, *(const char *const *)b);
}

enum gs_status gs_slices_adopt(struct gs_slices *slices, const struct gs_place *place,
                               uint64_t count, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    void *runs = slices->runs;
    GS_TRY(grow(&runs, &slices->run_room, slices->run_count, sizeof *slices->runs, err));
    slices->runs = runs;
    slices->runs[slices->run_count++] = (struct gs_sorted_run){.place = *place};
    gs_spill_keep(&slices->spill, place, count * gs_record_bytes(slices->options));
    st = gs_slices_sample(slices, count, err);
cleanup:
    return st;
}

enum gs_status gs_slices_begin(struct gs_slices *slices, uint64_t most, struct gs_error *err)
{
    struct gs_options options = *slices->options;
    slices->most = most;
    slices->cuts = calloc(slices->sample_count + 1, sizeof *slices->cuts);
    if (slices->cuts == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu samples",
                       slices->sample_count);
    for (size_t i = 0; i < slices->sample_count; i++)
        slices->cuts[i] = slices->samples + i * gs_record_bytes(&options);
    qsort_r(slices->cuts, slices->sample_count, sizeof *slices->cuts, compare_samples, &options);
    return GS_OK; /* the cut behind them is NULL: the end */
}

/* Is a record on the near side of the cut: before it or, if behind, equal to it? */
static bool is_near(const struct gs_slices *slices, const char *record, const char *cut,
                    bool behind)
{
    const int sign = compare_cuts(slices->options, record, cut);
    return sign < 0 || (behind && sign == 0);
}

/* Between which records of a run a cut is, by its samples: not before *low, nor behind *high. */
static void bracket(const struct gs_slices *slices, const struct gs_sorted_run *run,
                    const char *cut, bool behind, uint64_t *low, uint64_t *high)
{
    const uint64_t bytes = gs_record_bytes(slices->options);
    size_t least = 0;
    size_t most = run->sample_count;
    while (least < most) {
        const size_t middle = least + (most - least) / 2;
        if (is_near(slices, slices->samples + (run->first_sample + middle) * bytes, cut, behind))
            least = middle + 1;
        else
            most = middle;
    }
    *low = least == 0 ? 0 : (least - 1) * run->step + 1;
    *high = least == run->sample_count ? run->count : least * run->step;
    *low = *low > run->end ? *low : run->end;
    *high = *high > run->end ? *high : run->end;
}

/* How many records are at most between the last slice and a cut. */
static uint64_t most_before(const struct gs_slices *slices, const char *cut)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < slices->run_count; i++) {
        const struct gs_sorted_run *run = &slices->runs[i];
        uint64_t low;
        uint64_t high = run->count;
        if (cut != NULL)
            bracket(slices, run, cut, false, &low, &high);
        sum += high - run->end;
    }
    return sum;
}

/* The first record of a run that is on the far side of the cut. block: memory for CUT_BYTES, or
 * one record: what is left of the search is read at once. */
static enum gs_status find_cut(const struct gs_slices *slices, const struct gs_sorted_run *run,
                               const char *cut, bool behind, char *block, uint64_t *at,
                               struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t bytes = gs_record_bytes(slices->options);
    uint64_t low, high;
    uint64_t read_from = 0, read_to = 0;
    bracket(slices, run, cut, behind, &low, &high);
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (read_to == 0 && (high - low) * bytes <= CUT_BYTES) {
            read_from = low;
            read_to = high;
            GS_TRY(gs_spill_read(&slices->spill, &run->place, low * bytes, block,
                                 (high - low) * bytes, err));
        } else if (read_to == 0) {
            GS_TRY(read_record(slices, run, middle, block, err));
        }
        if (is_near(slices, block + (read_to > 0 ? middle - read_from : 0) * bytes, cut, behind))
            low = middle + 1;
        else
            high = middle;
    }
    *at = low;
cleanup:
    return st;
}

/* Let the slice end at a cut, in all runs; cut NULL: at the end. */
static enum gs_status end_at(const struct gs_slices *slices, struct gs_slice *slice,
                             const char *cut, bool behind, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const size_t bytes = gs_record_bytes(slices->options);
    char *block = malloc(bytes > CUT_BYTES ? bytes : CUT_BYTES);
    if (block == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to sort");
    slice->count = 0;
    for (size_t i = 0; i < slices->run_count; i++) {
        const struct gs_sorted_run *run = &slices->runs[i];
        slice->first[i] = run->end;
        slice->end[i] = run->count;
        if (cut != NULL)
            GS_TRY(find_cut(slices, run, cut, behind, block, &slice->end[i], err));
        slice->count += slice->end[i] - slice->first[i];
    }
cleanup:
    free(block);
    return st;
}

/* Make room in a slice for parts of all runs. */
static enum gs_status make_parts(struct gs_slice *slice, size_t runs, struct gs_error *err)
{
    if (slice->first != NULL)
        return GS_OK;
    slice->first = calloc(2 * (runs + 1), sizeof *slice->first);
    if (slice->first == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu runs", runs);
    slice->end = slice->first + runs + 1;
    return GS_OK;
}

/* Of the cuts from `low` on, the last one before which there is room for all records, by the
 * samples; low itself at least. */
static size_t farthest_cut(const struct gs_slices *slices, size_t low)
{
    size_t high = slices->sample_count + 1;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (most_before(slices, slices->cuts[middle]) <= slices->most)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Let a slice end at a cut before which there are, by the samples, too many records: are there,
 * really? If so, those that are equal to the cut before are a slice by themselves. */
static enum gs_status end_near(const struct gs_slices *slices, struct gs_slice *slice, size_t *cut,
                               struct gs_error *err)
{
    enum gs_status st = GS_OK;
    GS_TRY(end_at(slices, slice, slices->cuts[*cut + 1], false, err));
    if (slice->count > slices->most) {
        GS_TRY(end_at(slices, slice, slices->cuts[*cut], true, err));
        slice->equal = slice->count > 0;
        if (slice->equal)
            goto cleanup;
        GS_TRY(end_at(slices, slice, slices->cuts[*cut + 1], false, err));
    }
    ++*cut;
cleanup:
    return st;
}

enum gs_status gs_slices_next(struct gs_slices *slices, struct gs_slice *slice,
                              struct gs_error *err)
{
    enum gs_status st = GS_OK;
    GS_TRY(make_parts(slice, slices->run_count, err));
    do {
        slices->next = farthest_cut(slices, slices->next);
        slice->equal = false;
        GS_TRY(end_at(slices, slice, slices->cuts[slices->next], false, err));
        if (slice->count == 0 && slices->next < slices->sample_count)
            GS_TRY(end_near(slices, slice, &slices->next, err));
    } while (slice->count == 0 && slices->next < slices->sample_count);
    for (size_t i = 0; i < slices->run_count; i++)
        slices->runs[i].end = slice->end[i];
cleanup:
    return st;
}

void gs_slice_free(struct gs_slice *slice)
{
    free(slice->first);
    *slice = (struct gs_slice){0};
}

enum gs_status gs_slices_part(const struct gs_slices *slices, const struct gs_slice *slice,
                              uint64_t skip, uint64_t count, struct gs_slice *part,
                              struct gs_error *err)
{
    *part = (struct gs_slice){.count = count};
    enum gs_status st = make_parts(part, slices->run_count, err);
    for (size_t i = 0; i < slices->run_count && st == GS_OK; i++) {
        const uint64_t length = slice->end[i] - slice->first[i];
        const uint64_t skipped = skip < length ? skip : length;
        const uint64_t taken = count < length - skipped ? count : length - skipped;
        part->first[i] = slice->first[i] + skipped;
        part->end[i] = part->first[i] + taken;
        skip -= skipped;
        count -= taken;
    }
    return st;
}

enum gs_status gs_slices_load(const struct gs_slices *slices, const struct gs_slice *slice,
                              char *to, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t bytes = gs_record_bytes(slices->options);
    for (size_t i = 0; i < slices->run_count; i++) {
        const uint64_t count = slice->end[i] - slice->first[i];
        if (count > 0)
            GS_TRY(gs_spill_read(&slices->spill, &slices->runs[i].place, slice->first[i] * bytes,
                                 to, count * bytes, err));
        to += count * bytes;
    }
cleanup:
    return st;
}
