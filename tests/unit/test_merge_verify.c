/* test_merge_verify.c -- --verify of a merge notices keys that change on their way to the sink.
 * SPDX-License-Identifier: MIT
 *
 * A run of equal keys is written from the same piece of memory again and again. The sink overwrites
 * that memory with a larger key after the first write: the order still holds, so only the
 * fingerprint can show the change.
 */
#include "sort/merge/merge.h"
#include "tests/unit/check.h"
#include "sort/keys/fingerprint.h"

#include <string.h>

/* So many spans that all keys, which are equal, are a segment, and more than is written at once. */
enum { EACH = 2, SPANS = 100000, N = EACH * SPANS };

static gs_key keys[N];
static bool changes;
static uint64_t written;

static enum gs_status take(struct gs_sink *sink, const void *data, uint64_t count,
                           uint64_t position, struct gs_error *err)
{
    const gs_key *piece = data;
    (void)sink;
    (void)err;
    CHECK_EQUAL(position, written);
    written += count;
    for (uint64_t i = 0; i < count && changes; i++)
        ((gs_key *)(uintptr_t)piece)[i] = 8;
    changes = false;
    return GS_OK;
}

static enum gs_status merge(bool verify, bool change, struct gs_stats *stats, struct gs_error *err)
{
    static struct gs_span spans[SPANS];
    for (size_t i = 0; i < SPANS; i++)
        spans[i] = (struct gs_span){.keys = keys + i * EACH, .count = EACH, .name = "input"};
    const struct gs_options options = {.key_bytes = GS_KEY_BYTES, .verify = verify, .threads = 1};
    struct gs_sink sink = {.write = take, .stream = true};
    *err = (struct gs_error){.status = GS_OK};
    written = 0;
    changes = change;
    return gs_merge(&options, spans, SPANS, &sink, NULL, stats, err);
}

int main(void)
{
    struct gs_stats stats;
    struct gs_error err;
    for (int i = 0; i < N; i++)
        keys[i] = 7;
    CHECK(merge(true, false, &stats, &err) == GS_OK);
    CHECK_EQUAL(written, N);
    CHECK_EQUAL(stats.fingerprint, gs_fingerprint(keys, N));
    CHECK(merge(false, true, &stats, &err) == GS_OK); /* without --verify nobody looks */
    CHECK(!changes);
    CHECK(merge(true, true, &stats, &err) == GS_ERR_VERIFY);
    CHECK(!changes);
    CHECK(strstr(err.text, "does not hold the keys that were read") != NULL);
    return check_failures();
}
