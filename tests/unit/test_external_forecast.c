/* test_external_forecast.c -- temporary files are forecast to take time, and too little memory is
 * refused in the forecast, too.
 * SPDX-License-Identifier: MIT
 */
#include "sort/types/record_order.h"
#include "sort/sort.h"
#include "tests/unit/check.h"

#include <string.h>

static double seconds_for(const struct gs_options *options, uint64_t count)
{
    struct gs_forecast forecast;
    gs_width(options)->forecast(options, count, &forecast);
    return forecast.external_seconds;
}

static void check_memory(const struct gs_options *options, uint64_t memory, uint64_t count,
                         enum gs_status wanted)
{
    struct gs_error err = {.status = GS_OK};
    CHECK_EQUAL(gs_width(options)->check_external(options, memory, count, &err), wanted);
    CHECK((strstr(err.text, "take at least") != NULL) == (wanted != GS_OK));
}

int main(void)
{
    const uint64_t many = (uint64_t)1 << 30;
    const struct gs_options keys = {.threads = 2};
    CHECK(seconds_for(&keys, many) > 0.4);

    struct gs_format_options given = {.record = "24", .keys = {"0:u64"}, .key_count = 1};
    struct gs_format format;
    struct gs_record_order order;
    struct gs_error err = {.status = GS_OK};
    CHECK_EQUAL(gs_format_parse(&format, &given, &err), GS_OK);
    gs_record_order_init(&order, &format);
    const struct gs_options records = {
        .key_bytes = 16, .format = &format, .records = &order, .threads = 2};
    CHECK(seconds_for(&records, many) > 0.4);
    check_memory(&records, 256 << 20, many, GS_OK);
    check_memory(&records, 6 << 20, many, GS_ERR_MEMORY);
    check_memory(&records, 1 << 20, 1, GS_ERR_MEMORY);
    return check_failures();
}
