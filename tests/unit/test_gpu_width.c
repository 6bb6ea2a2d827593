/* test_gpu_width.c -- without CUDA, --device=gpu is refused for keys of each width in like words.
 * SPDX-License-Identifier: MIT
 *
 * The CPU then sorts them by default. With CUDA, no width is refused.
 */
#include "sort/gpu/gpu_start.h"
#include "sort/sort.h"
#include "tests/unit/check.h"

#include <stdio.h>
#include <string.h>

static void check(unsigned key_bytes)
{
    const struct gs_options on_gpu = {.key_bytes = key_bytes, .device = GS_DEVICE_GPU};
    const struct gs_options plain = {.key_bytes = key_bytes};
    const struct gs_width *width = gs_width(&plain);
    const char *refusal = gs_gpu_refusal();
    struct gs_error err = {.status = GS_OK};
    struct gs_forecast forecast;
    CHECK(width->check_options(&plain, NULL) == GS_OK);
    if (refusal == NULL) {
        CHECK(width->check_options(&on_gpu, &err) == GS_OK);
        return;
    }
    char expected[128];
    snprintf(expected, sizeof expected, "--device=gpu: %s", refusal);
    CHECK(width->check_options(&on_gpu, &err) == GS_ERR_DEVICE);
    CHECK(strcmp(err.text, expected) == 0);
    width->forecast(&plain, (uint64_t)1 << 40, &forecast);
    CHECK(forecast.device == GS_DEVICE_CPU);
    CHECK(strcmp(forecast.reason, refusal) == 0);
}

int main(void)
{
    check(4);
    check(8);
    check(16);
    return check_failures();
}
