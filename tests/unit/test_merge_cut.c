/* test_merge_cut.c -- segments ascend, hold every key once, within their bounds and the room; under
 * unique no two have a key value in common.
 * SPDX-License-Identifier: MIT
 */
#include "common/random.h"
#include "sort/keys/typed.h"
#include "sort/merge/merge_cut.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdlib.h>

#define SPANS     7
#define SPAN_KEYS 5000

static int compare(const void *context, const void *a, const void *b)
{
    (void)context;
    return sample_compare(a, b);
}

static struct gs_cut_order order_of(bool reverse, bool unique)
{
    return (struct gs_cut_order){
        .record_bytes = sizeof(gs_key), .reverse = reverse, .unique = unique, .compare = compare};
}

/* Cut spans of keys that have `values` values, ascending or descending, and check each segment. */
static void check_cut(uint64_t values, bool reverse, bool unique, uint64_t room)
{
    static gs_key keys[SPANS][SPAN_KEYS];
    struct gs_span spans[SPANS];
    struct gs_part parts[SPANS];
    gs_key bounds[2];
    struct gs_segment segment = {
        .parts = parts, .bounds = {{.record = (char *)&bounds[0]}, {.record = (char *)&bounds[1]}}};
    struct gs_error err = {.status = GS_OK};
    struct gs_cut cut;
    const struct gs_cut_order order = order_of(reverse, unique);
    gs_key mask = reverse ? GS_KEY_MAX : 0;
    uint64_t taken[SPANS] = {0};
    uint64_t all = 0, cut_keys = 0, segments = 0;
    bool has_last = false;
    gs_key last = 0; /* the greatest key ^ mask so far */
    for (size_t i = 0; i < SPANS; i++) {
        uint64_t count = i == 2 ? 0 : i == 3 ? 1 : SPAN_KEYS;
        for (uint64_t k = 0; k < count; k++)
            keys[i][k] = sample_value(gs_random(i, k), values) ^ mask;
        qsort(keys[i], count, sizeof(gs_key), sample_compare);
        for (uint64_t k = 0; reverse && k < count / 2; k++) {
            gs_key swap = keys[i][k];
            keys[i][k] = keys[i][count - 1 - k];
            keys[i][count - 1 - k] = swap;
        }
        spans[i] = (struct gs_span){.keys = keys[i], .count = count};
        all += count;
    }
    if (!CHECK(gs_cut_open(&cut, &order, spans, SPANS, room, &err) == GS_OK))
        return;
    for (; !gs_cut_done(&cut); segments++) {
        gs_cut_next(&cut, &segment);
        gs_key least = GS_KEY_MAX, greatest = 0;
        uint64_t count = 0;
        if (!CHECK(segment.count > 0))
            break;
        CHECK_EQUAL(segment.index, segments);
        CHECK_EQUAL(segment.position, cut_keys);
        for (size_t p = 0; p < segment.part_count; p++) {
            CHECK_EQUAL(parts[p].first, taken[parts[p].span]);
            taken[parts[p].span] += parts[p].count;
            count += parts[p].count;
            for (uint64_t k = 0; k < parts[p].count; k++) {
                gs_key key = gs_span_keys(&spans[parts[p].span])[parts[p].first + k] ^ mask;
                least = key < least ? key : least;
                greatest = key > greatest ? key : greatest;
            }
        }
        CHECK_EQUAL(count, segment.count);
        CHECK(segment.count <= gs_cut_room(SPANS, room) || (unique && least == greatest));
        CHECK(!has_last || least > last || (!unique && least == last));
        CHECK_EQUAL(segment.bounds[0].exists, has_last);
        CHECK(segment.bounds[1].exists || gs_cut_done(&cut));
        gs_key first = least ^ mask, end = greatest ^ mask;
        CHECK(gs_cut_holds(&cut, &segment, &first, &end));
        gs_key beyond = bounds[1] ^ mask; /* not to come here, or not beyond it */
        if (segment.bounds[1].exists && beyond < GS_KEY_MAX) {
            beyond = (beyond + (unique && !segment.bounds[1].closed ? 0 : 1)) ^ mask;
            CHECK(!gs_cut_holds(&cut, &segment, &first, &beyond));
        }
        last = greatest;
        has_last = true;
        cut_keys += count;
    }
    CHECK_EQUAL(cut_keys, all);
    gs_cut_close(&cut);
}

/* Spans out of order, as when an input changes: the parts of a span still follow one another, the
 * cut comes to an end, where an empty segment tells of it. */
static void check_disorder(bool unique)
{
    static gs_key keys[2][SPAN_KEYS];
    struct gs_span spans[2];
    struct gs_part parts[2];
    gs_key bounds[2];
    struct gs_segment segment = {
        .parts = parts, .bounds = {{.record = (char *)&bounds[0]}, {.record = (char *)&bounds[1]}}};
    struct gs_error err = {.status = GS_OK};
    struct gs_cut cut;
    const struct gs_cut_order order = order_of(false, unique);
    for (size_t i = 0; i < 2; i++) {
        for (uint64_t k = 0; k < SPAN_KEYS; k++)
            keys[i][k] = sample_value(gs_random(i, k), 256);
        spans[i] = (struct gs_span){.keys = keys[i], .count = SPAN_KEYS};
    }
    if (!CHECK(gs_cut_open(&cut, &order, spans, 2, 64, &err) == GS_OK))
        return;
    uint64_t steps = 0;
    do {
        uint64_t before = cut.position;
        gs_cut_next(&cut, &segment);
        CHECK_EQUAL(cut.position, before + segment.count);
        steps++;
    } while (segment.count > 0 && !gs_cut_done(&cut));
    CHECK(steps <= 2 * SPAN_KEYS + 1);
    CHECK(cut.taken[0] <= SPAN_KEYS && cut.taken[1] <= SPAN_KEYS);
    gs_cut_close(&cut);
}

/* Spans whose keys follow one another (apart), or small spans beside a large one: segments have an
 * eighth of their room or more on average, though most spans have no key in them. */
static void check_layout(bool apart, gs_key mask)
{
    enum { COUNT = 500, MANY = 200, ROOM = 1000 };
    static gs_key keys[MANY][COUNT];
    static gs_key base[MANY * COUNT];
    static struct gs_span spans[MANY + 1];
    static struct gs_part parts[MANY + 1];
    gs_key bounds[2];
    struct gs_segment segment = {
        .parts = parts, .bounds = {{.record = (char *)&bounds[0]}, {.record = (char *)&bounds[1]}}};
    struct gs_error err = {.status = GS_OK};
    struct gs_cut cut;
    const struct gs_cut_order order = order_of(mask != 0, false);
    const uint64_t each = apart ? COUNT : 5;
    const uint64_t base_keys = apart ? 0 : (uint64_t)MANY * COUNT;
    for (uint64_t k = 0; k < base_keys; k++)
        base[k] = sample_wide((uint32_t)k * 1000) ^ mask;
    for (uint64_t i = 0; i < MANY; i++) {
        for (uint64_t k = 0; k < each; k++)
            keys[i][k] =
                sample_wide((uint32_t)(apart ? i * COUNT + k : k * 20000000 + i * 50000)) ^ mask;
        spans[i] = (struct gs_span){.keys = keys[i], .count = each};
    }
    spans[MANY] = (struct gs_span){.keys = base, .count = base_keys};
    if (!CHECK(gs_cut_open(&cut, &order, spans, MANY + 1, ROOM, &err) == GS_OK))
        return;
    uint64_t all = 0;
    while (!gs_cut_done(&cut)) {
        gs_cut_next(&cut, &segment);
        if (!CHECK(segment.count > 0 && segment.count <= ROOM))
            break;
        all += segment.count;
    }
    CHECK_EQUAL(all, MANY * each + base_keys);
    CHECK(cut.segments <= all / (ROOM / 8) + 1);
    gs_cut_close(&cut);
}

int main(void)
{
    static const uint64_t values[] = {1, 2, 52, 3000, (uint64_t)1 << 32};
    static const uint64_t rooms[] = {1, 20, 300, 4096, 1 << 20};
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
        for (size_t r = 0; r < sizeof rooms / sizeof rooms[0]; r++)
            for (int way = 0; way < 4; way++)
                check_cut(values[v], way % 2 == 1, way / 2 == 1, rooms[r]);
    check_layout(true, 0);
    check_layout(true, GS_KEY_MAX);
    check_layout(false, 0);
    check_layout(false, GS_KEY_MAX);
    check_disorder(false);
    check_disorder(true);
    return check_failures();
}
