/* test_plans.c -- a sort is planned once and not again for each part: calls of gs_plan_make.
 * SPDX-License-Identifier: MIT
 */
#include "common/random.h"
#include "sort/run/plan.h"
#include "sort/types/record_order.h"
#include "sort/wide/records.h"
#include "sort/width/width.h"
#include "tests/unit/check.h"

#include <stdlib.h>

#define N ((uint64_t)1 << 23)

#define WIDTH_OF(bits) gs_width_##bits
#define WIDTH(bits)    WIDTH_OF(bits)

static unsigned plans;

/* The linker has the rooms call this one instead (--wrap). */
void real_plan_make(struct gs_plan *plan, const struct gs_options *options,
                    uint64_t count) __asm__("__real_gs_plan_make");
void counted_plan_make(struct gs_plan *plan, const struct gs_options *options,
                       uint64_t count) __asm__("__wrap_gs_plan_make");
void counted_plan_make(struct gs_plan *plan, const struct gs_options *options, uint64_t count)
{
    plans++;
    real_plan_make(plan, options, count);
}

static uint64_t written;

static enum gs_status write_keys(struct gs_sink *sink, const void *keys, uint64_t count,
                                 uint64_t position, struct gs_error *err)
{
    (void)sink, (void)keys, (void)position, (void)err;
#pragma omp atomic
    written += count;
    return GS_OK;
}

/* The same for the keys as records, in a forecast and in groups of what fits 16 MiB. */
static void check_records(const gs_key *keys)
{
    struct gs_format_options given = {.record = "8", .keys = {"0:u16"}, .key_count = 1};
    struct gs_format format;
    struct gs_record_order order;
    struct gs_error err = {.status = GS_OK};
    struct gs_sink sink = {.write = write_keys};
    struct gs_stats stats;
    CHECK_EQUAL(gs_format_parse(&format, &given, &err), GS_OK);
    format.stable = true;
    gs_record_order_init(&order, &format);
    const struct gs_options options = {
        .key_bytes = 16, .format = &format, .records = &order, .threads = 2};
    const uint64_t count = N * sizeof *keys / 8;
    const struct gs_span span = {.keys = keys, .count = count, .name = "records"};
    const char *directory = "/tmp";
    const struct gs_external source = {.spans = &span,
                                       .span_count = 1,
                                       .memory_bytes = (uint64_t)16 << 20,
                                       .directories = &directory,
                                       .directory_count = 1};
    const struct gs_width *calls = &gs_width_records;
    written = plans = 0;
    CHECK_EQUAL(calls->check_external(&options, source.memory_bytes, count, &err), GS_OK);
    CHECK_EQUAL(calls->sort_external(&options, &source, &sink, NULL, &stats, &err), GS_OK);
    CHECK_EQUAL(written, count);
    CHECK(plans > 1 && plans <= 30);
}

int main(void)
{
    const struct gs_options options = {.key_bytes = GS_KEY_BYTES, .threads = 2};
    const struct gs_width *calls = &WIDTH(GS_BITS);
    gs_key *keys = malloc(N * sizeof *keys);
    struct gs_sink sink = {.write = write_keys};
    struct gs_stats stats;
    struct gs_forecast forecast;
    struct gs_error err = {.status = GS_OK};
    if (keys == NULL)
        return 1;
    for (uint64_t i = 0; i < N; i++)
        keys[i] = (gs_key)gs_random(1, i);
    const struct gs_span span = {.keys = keys, .count = N, .name = "keys"};

    calls->forecast(&options, N, &forecast);
    CHECK_EQUAL(plans, 1);
    CHECK_EQUAL(calls->prepare(&options, N, false), GS_DEVICE_CPU);
    CHECK_EQUAL(plans, 1);
    CHECK_EQUAL(calls->sort(&options, &span, 1, &sink, NULL, &stats, &err), GS_OK);
    CHECK_EQUAL(written, N);
    CHECK_EQUAL(plans, 2);

    /* Bins in groups of what fits 8 MiB, of which there are more than plans. */
    const char *directory = "/tmp";
    const struct gs_external source = {.spans = &span,
                                       .span_count = 1,
                                       .memory_bytes = (uint64_t)8 << 20,
                                       .directories = &directory,
                                       .directory_count = 1};
    written = plans = 0;
    CHECK_EQUAL(calls->sort_external(&options, &source, &sink, NULL, &stats, &err), GS_OK);
    CHECK_EQUAL(written, N);
    CHECK(plans > 1 && plans <= 30);
    if (GS_BITS == 128) /* only calls of the rooms of this width are counted */
        check_records(keys);
    free(keys);
    return check_failures();
}
