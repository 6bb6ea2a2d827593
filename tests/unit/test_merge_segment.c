/* test_merge_segment.c -- a segment with keys outside the bounds that it was cut for is refused.
 * SPDX-License-Identifier: MIT
 *
 * That happens if an input is written to between cut and merge, or if disorder misled the search
 * for a cut. The segments are made by hand, so the test does not depend on a race.
 */
#include "sort/merge/merge_segment.h"
#include "tests/unit/check.h"

#include <string.h>

enum { N = 1000, KEY = 7 };

static gs_key input[N];
static gs_key keys[N + GS_SEGMENT_GAPS];
static gs_key scratch[GS_CACHE_SORT_SCRATCH];
static uint64_t written;

static enum gs_status take(struct gs_sink *sink, const void *data, uint64_t count,
                           uint64_t position, struct gs_error *err)
{
    const gs_key *piece = data;
    (void)sink, (void)position, (void)err;
    for (uint64_t i = 0; i < count; i++)
        written += piece[i] == KEY;
    return GS_OK;
}

static int compare(const void *context, const void *a, const void *b)
{
    const gs_key first = *(const gs_key *)a, second = *(const gs_key *)b;
    (void)context;
    return (first > second) - (first < second);
}

/* Merge the input as one segment whose keys should lie in [first, last], which is the other way
 * round if reverse. */
static enum gs_status merge(bool reverse, gs_key first, gs_key last)
{
    const struct gs_span span = {.keys = input, .count = N, .name = "input"};
    const struct gs_options options = {.reverse = reverse, .threads = 1};
    struct gs_part part = {.span = 0, .first = 0, .count = N};
    struct gs_sink sink = {.write = take};
    struct gs_merge_shared merge = {.drive = {.options = &options,
                                              .span_count = 1,
                                              .threads = 1,
                                              .cut = {.spans = &span,
                                                      .order = {.record_bytes = sizeof(gs_key),
                                                                .reverse = reverse,
                                                                .compare = compare}}},
                                    .order = {.reverse = reverse, .threads = 1},
                                    .method = GS_MERGE_NONE};
    struct gs_segment segment = {.parts = &part,
                                 .part_count = 1,
                                 .count = N,
                                 .bounds = {{.record = (char *)&first, .exists = true},
                                            {.record = (char *)&last, .exists = true}}};
    struct gs_merger worker = {.worker = {.segment = segment}, .keys = keys, .scratch = scratch};
    merge.drive.emitter = &merge.drive.own_emitter;
    gs_emit_init(merge.drive.emitter, &options, &sink);
    written = 0;
    enum gs_status st = gs_merge_segment(&merge.drive, &worker.worker);
    CHECK(written == (st == GS_OK ? N : 0));
    return st;
}

/* The same, within the tight bounds of KEY, with the key at `place` replaced by `other`. */
static enum gs_status merge_but(size_t place, gs_key other)
{
    input[place] = other;
    enum gs_status st = merge(false, KEY, KEY);
    input[place] = KEY;
    return st;
}

int main(void)
{
    for (size_t i = 0; i < N; i++)
        input[i] = KEY;
    CHECK(merge(false, KEY, KEY) == GS_OK);
    CHECK(merge(false, 0, GS_KEY_MAX) == GS_OK);
    CHECK(merge(false, KEY + 1, KEY + 1) == GS_ERR_INPUT);
    CHECK(merge(false, KEY - 1, KEY - 1) == GS_ERR_INPUT);
    CHECK(merge(true, KEY, KEY) == GS_OK);
    CHECK(merge(true, KEY - 1, 0) == GS_ERR_INPUT);
    CHECK(merge(true, GS_KEY_MAX, KEY + 1) == GS_ERR_INPUT);
    CHECK(merge_but(0, KEY - 1) == GS_ERR_INPUT);
    CHECK(merge_but(N / 2, KEY + 1) == GS_ERR_INPUT);
    CHECK(merge_but(N - 1, KEY + 1) == GS_ERR_INPUT);
    return check_failures();
}
