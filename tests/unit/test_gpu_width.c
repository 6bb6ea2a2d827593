/* test_gpu_width.c -- wider keys are refused with --device=gpu, and sorted on the CPU by default.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gsort.h"
#include "tests/unit/check.h"

#include <string.h>

static void check(unsigned key_bytes, const char *refusal)
{
    const struct gs_options on_gpu = {.key_bytes = key_bytes, .device = GS_DEVICE_GPU};
    const struct gs_options plain = {.key_bytes = key_bytes};
    const struct gs_width *width = gs_width(&plain);
    struct gs_error err = {.status = GS_OK};
    struct gs_stats stats = {0};
    double seconds;
    CHECK(width->check_options(&on_gpu, &err) == GS_ERR_DEVICE);
    CHECK(strcmp(err.text, refusal) == 0);
    CHECK(width->check_options(&plain, NULL) == GS_OK);
    width->forecast(&plain, (uint64_t)1 << 40, &stats, &seconds);
    CHECK(strcmp(stats.device, "cpu") == 0);
    CHECK(strstr(refusal, stats.reason) != NULL);
}

int main(void)
{
    check(8, "--device=gpu: elements of 8 bytes are not sorted on the GPU yet");
    check(16, "--device=gpu: elements of 16 bytes are not sorted on the GPU yet");
    return check_failures();
}
