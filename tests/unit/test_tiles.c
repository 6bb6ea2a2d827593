/* test_tiles.c -- tiles cover every key of every span once, in order.
 * SPDX-License-Identifier: MIT
 */
#include "sort/keys/params.h"
#include "sort/keys/tiles.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdlib.h>

static void check_cover(const struct gs_span *spans, size_t span_count)
{
    struct gs_error err = {.status = GS_OK};
    struct gs_tiles tiles;
    if (!CHECK(gs_tiles_make(&tiles, spans, span_count, &err) == GS_OK))
        return;
    uint64_t position = 0;
    uint64_t index = 0;
    for (size_t s = 0; s < span_count; s++) {
        for (uint64_t in_span = 0; in_span < spans[s].count; index++) {
            struct gs_tile tile = gs_tiles_at(&tiles, index);
            if (!CHECK(tile.span == &spans[s]) || !CHECK_EQUAL(tile.first, position) ||
                !CHECK(tile.keys == gs_span_keys(&spans[s]) + in_span) ||
                !CHECK(tile.count > 0 && tile.count <= GS_TILE_KEYS))
                goto done;
            CHECK_EQUAL(gs_tiles_key(&tiles, position), tile.keys[0]);
            CHECK_EQUAL(gs_tiles_key(&tiles, position + tile.count - 1), tile.keys[tile.count - 1]);
            position += tile.count;
            in_span += tile.count;
        }
    }
    CHECK_EQUAL(index, tiles.count);
    CHECK_EQUAL(position, gs_tiles_keys(&tiles));
done:
    gs_tiles_free(&tiles);
}

/* The error about a changed input names it only if the keys at hand are all of one: else nobody
 * knows which input changed. */
static void test_changed(void)
{
    const gs_key keys[] = {1, 2};
    const struct gs_span spans[] = {{keys, 2, "one"}, {keys, 0, "none"}, {keys, 1, "two"}};
    static const struct {
        uint64_t first, count;
        const char *name; /* NULL: either may have changed */
    } cases[] = {{0, 2, "one: "}, {1, 1, "one: "}, {2, 1, "two: "}, {0, 3, NULL}, {1, 2, NULL}};
    struct gs_error err = {.status = GS_OK};
    struct gs_tiles tiles;
    if (!CHECK(gs_tiles_make(&tiles, spans, 3, &err) == GS_OK))
        return;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *name = cases[i].name != NULL ? cases[i].name : "an input ";
        err.status = GS_OK;
        CHECK(gs_tiles_fail_changed(&tiles, cases[i].first, cases[i].count, &err) == GS_ERR_INPUT);
        CHECK(strncmp(err.text, name, strlen(name)) == 0);
        CHECK(strstr(err.text, "changed while it was being sorted") != NULL);
    }
    gs_tiles_free(&tiles);
}

/* Keys of records come decoded from every call, also where the first of them are keys already. */
static void test_decoded(void)
{
    enum { COUNT = 3 * GS_TILE_KEYS - 5, DECODED = GS_TILE_KEYS };
    struct gs_error err = {.status = GS_OK};
    struct gs_tiles tiles;
    struct gs_codec codec;
    const struct gs_format format = gs_format_of(
        (struct gs_key_type){.kind = GS_TYPE_BYTES, .bytes = sizeof(gs_key), .big_endian = true});
    gs_key *keys = sample_make(SAMPLE_UNIFORM, COUNT);
    gs_key *mixed = sample_make(SAMPLE_UNIFORM, COUNT);
    gs_key *got = sample_make(SAMPLE_EQUAL, COUNT);
    const struct gs_span span = {mixed, COUNT, "mixed"};
    gs_codec_init(&codec, &format);
    gs_codec_store(&codec, keys + DECODED, mixed + DECODED, COUNT - DECODED);
    CHECK(gs_tiles_decode(&tiles, &codec, &span, 1, &err) == GS_OK);
    tiles.decoded = DECODED;
    gs_tiles_copy(&tiles, 0, COUNT, got);
    CHECK(memcmp(got, keys, COUNT * sizeof *keys) == 0);
    CHECK_EQUAL(gs_tiles_key(&tiles, DECODED - 1), keys[DECODED - 1]);
    CHECK_EQUAL(gs_tiles_key(&tiles, DECODED), keys[DECODED]);
    CHECK_EQUAL(gs_tiles_part(&tiles, DECODED - 3, 100).count, 3);
    for (uint64_t i = 0; i < tiles.count; i++) {
        struct gs_tile tile = gs_tiles_at(&tiles, i);
        const gs_key *at = gs_tile_keys(&tiles, &tile, 1, tile.count - 1, got);
        CHECK(memcmp(at, keys + tile.first + 1, (tile.count - 1) * sizeof *keys) == 0);
    }
    gs_tiles_free(&tiles);
    free(got);
    free(mixed);
    free(keys);
}

int main(void)
{
    test_decoded();
    test_changed();
    enum { N = 3 * GS_TILE_KEYS + 17 };
    gs_key *keys = sample_make(SAMPLE_UNIFORM, N);
    check_cover(NULL, 0);
    for (uint64_t by = 0; by <= 2; by++) {
        for (uint64_t tiles = 0; tiles <= 3; tiles++) {
            struct gs_span one = {keys, tiles * GS_TILE_KEYS + by, "one"};
            check_cover(&one, 1);
        }
    }
    struct gs_span spans[] = {{keys, 0, "a"}, {keys, 0, "b"},
                              {keys, 5, "c"}, {keys + 5, GS_TILE_KEYS, "d"},
                              {keys, 0, "e"}, {keys + 1, 2 * GS_TILE_KEYS + 1, "f"},
                              {keys, 1, "g"}, {keys, 0, "h"}};
    for (size_t count = 1; count <= sizeof spans / sizeof spans[0]; count++)
        check_cover(spans, count);
    free(keys);
    return check_failures();
}
