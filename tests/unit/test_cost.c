/* test_cost.c -- the choice of a device: a GPU's start-up does not pay for small inputs.
 * SPDX-License-Identifier: MIT
 */
#include "sort/run/cost.h"
#include "tests/unit/check.h"

int main(void)
{
    double cpu_before = -1;
    double gpu_before = -1;
    bool gpu_was_faster = false;
    for (unsigned log2 = 0; log2 <= 40; log2++) {
        uint64_t count = (uint64_t)1 << log2;
        double cpu = gs_cost_cpu_seconds(count, 16);
        double gpu = gs_cost_gpu_seconds(count, 16, false);
        CHECK(cpu > cpu_before && gpu > gpu_before);
        CHECK(gs_cost_gpu_seconds(count, 16, true) < gpu);
        CHECK(gs_cost_cpu_seconds(count, 1) >= cpu);
        CHECK(!gpu_was_faster || gpu < cpu); /* the curves cross once */
        gpu_was_faster = gpu < cpu;
        cpu_before = cpu;
        gpu_before = gpu;
    }
    CHECK(gs_cost_cpu_seconds(0, 1) >= 0);
    CHECK(gs_cost_gpu_seconds(1 << 20, 1, true) > gs_cost_cpu_seconds(1 << 20, 1));
    CHECK(gpu_was_faster);
    /* As measured with 16 threads: the CPU is faster at 1 GiB, the GPU at 4 GiB. */
    const uint64_t gib = (uint64_t)256 << 20;
    CHECK(gs_cost_cpu_seconds(gib, 16) < gs_cost_gpu_seconds(gib, 16, false));
    CHECK(gs_cost_cpu_seconds(4 * gib, 16) > gs_cost_gpu_seconds(4 * gib, 16, false));
    /* With 32 threads the CPU is still faster at 4 GiB, the GPU at 8 GiB. */
    CHECK(gs_cost_cpu_seconds(4 * gib, 32) < gs_cost_gpu_seconds(4 * gib, 32, false));
    CHECK(gs_cost_cpu_seconds(8 * gib, 32) > gs_cost_gpu_seconds(8 * gib, 32, false));
    /* For a pipe the GPU is faster at 4 GiB: it starts up while the pipe is read. */
    CHECK(gs_cost_cpu_seconds(4 * gib, 16) > gs_cost_gpu_seconds(4 * gib, 16, true));
    CHECK(gs_cost_gpu_seconds(gib, 2, false) < gs_cost_cpu_seconds(gib, 2));
    CHECK(gs_cost_gpu_seconds(gib, 4, false) < gs_cost_cpu_seconds(gib, 4));
    CHECK(gs_cost_gpu_seconds(gib, 8, false) > gs_cost_cpu_seconds(gib, 8));
    /* At half of that the CPU is faster even with two or four threads. */
    CHECK(gs_cost_gpu_seconds(gib / 2, 2, false) > gs_cost_cpu_seconds(gib / 2, 2));
    CHECK(gs_cost_gpu_seconds(gib / 2, 4, false) > gs_cost_cpu_seconds(gib / 2, 4));
    /* CPU threads copy what the GPU has sorted, so more of them help the GPU, too. */
    CHECK(gs_cost_gpu_seconds(gib, 2, false) > gs_cost_gpu_seconds(gib, 4, false));
    CHECK(gs_cost_gpu_seconds(gib, 64, false) >= gs_cost_gpu_seconds(gib, 16, false));
    /* More threads do not help beyond the speed of the page cache. */
    CHECK(gs_cost_cpu_seconds(gib, 128) <= gs_cost_cpu_seconds(gib, 16));
    CHECK(gs_cost_cpu_seconds(gib, 128) > 0.1);
    return check_failures();
}
