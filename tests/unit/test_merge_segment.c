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

/* Merge the input as one segment whose keys (if reverse, their complements) should lie in
 * [floor, last]. */
static enum gs_status merge(bool equal, bool reverse, gs_key floor, gs_key last)
{
    const struct gs_span span = {.keys = input, .count = N, .name = "input"};
    const struct gs_options options = {.reverse = reverse, .threads = 1};
    struct gs_part part = {.span = 0, .first = 0, .count = N};
    struct gs_sink sink = {.write = take};
    struct gs_merge_shared merge = {.drive = {.options = &options, .span_count = 1, .threads = 1},
                                    .order = {.reverse = reverse, .threads = 1},
                                    .cut = {.spans = &span, .mask = reverse ? GS_KEY_MAX : 0},
                                    .method = GS_MERGE_NONE};
    struct gs_merger worker = {.segment = {.parts = &part,
                                           .part_count = 1,
                                           .count = N,
                                           .floor = floor,
                                           .last = last,
                                           .equal = equal,
                                           .key = KEY},
                               .keys = keys,
                               .scratch = scratch};
    gs_emit_init(&merge.drive.emitter, &options, &sink);
    written = 0;
    enum gs_status st = gs_merge_segment(&merge.drive, &worker.worker);
    CHECK(written == (st == GS_OK ? N : 0));
    return st;
}

/* The same, within the tight bounds of KEY, with the key at `place` replaced by `other`. */
static enum gs_status merge_but(bool equal, size_t place, gs_key other)
{
    input[place] = other;
    enum gs_status st = merge(equal, false, KEY, KEY);
    input[place] = KEY;
    return st;
}

int main(void)
{
    for (size_t i = 0; i < N; i++)
        input[i] = KEY;
    for (int equal = 0; equal < 2; equal++) {
        CHECK(merge(equal, false, KEY, KEY) == GS_OK);
        CHECK(merge(equal, false, 0, GS_KEY_MAX) == GS_OK);
        CHECK(merge(equal, false, KEY + 1, KEY + 1) == GS_ERR_INPUT);
        CHECK(merge(equal, false, KEY - 1, KEY - 1) == GS_ERR_INPUT);
        CHECK(merge(equal, true, GS_KEY_MAX - KEY, GS_KEY_MAX - KEY) == GS_OK);
        CHECK(merge(equal, true, GS_KEY_MAX - KEY + 1, GS_KEY_MAX) == GS_ERR_INPUT);
        CHECK(merge(equal, true, 0, GS_KEY_MAX - KEY - 1) == GS_ERR_INPUT);
        CHECK(merge_but(equal, 0, KEY - 1) == GS_ERR_INPUT);
        CHECK(merge_but(equal, N / 2, KEY + 1) == GS_ERR_INPUT);
        CHECK(merge_but(equal, N - 1, KEY + 1) == GS_ERR_INPUT);
    }
    return check_failures();
}
