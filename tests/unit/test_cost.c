/* test_cost.c -- the choice of a device: small inputs never pay for a GPU's start, large ones do.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cost.h"
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
        CHECK(!gpu_was_faster || gpu < cpu); /* there is one crossing */
        gpu_was_faster = gpu < cpu;
        cpu_before = cpu;
        gpu_before = gpu;
    }
    CHECK(gs_cost_cpu_seconds(0, 1) >= 0);
    CHECK(gs_cost_gpu_seconds(1 << 20, 1, true) > gs_cost_cpu_seconds(1 << 20, 1));
    CHECK(gpu_was_faster);
    /* What was measured with 16 threads: at 1 GiB the CPU is ahead, at 4 GiB the GPU. */
    const uint64_t gib = (uint64_t)256 << 20;
    CHECK(gs_cost_cpu_seconds(gib, 16) < gs_cost_gpu_seconds(gib, 16, false));
    CHECK(gs_cost_cpu_seconds(4 * gib, 16) > gs_cost_gpu_seconds(4 * gib, 16, false));
    /* With 32 threads the CPU is ahead there, too; at 8 GiB the GPU. */
    CHECK(gs_cost_cpu_seconds(4 * gib, 32) < gs_cost_gpu_seconds(4 * gib, 32, false));
    CHECK(gs_cost_cpu_seconds(8 * gib, 32) > gs_cost_gpu_seconds(8 * gib, 32, false));
    /* From a pipe the GPU, which starts while that is read. */
    CHECK(gs_cost_cpu_seconds(4 * gib, 16) > gs_cost_gpu_seconds(4 * gib, 16, true));
    CHECK(gs_cost_gpu_seconds(gib, 2, false) < gs_cost_cpu_seconds(gib, 2));
    CHECK(gs_cost_gpu_seconds(gib, 4, false) < gs_cost_cpu_seconds(gib, 4));
    CHECK(gs_cost_gpu_seconds(gib, 8, false) > gs_cost_cpu_seconds(gib, 8));
    /* Half of that the CPU sorts as fast with two threads, and faster with more. */
    CHECK(gs_cost_gpu_seconds(gib / 2, 2, false) > gs_cost_cpu_seconds(gib / 2, 2));
    CHECK(gs_cost_gpu_seconds(gib / 2, 4, false) > gs_cost_cpu_seconds(gib / 2, 4));
    /* Who copies what a GPU has sorted are threads, too. */
    CHECK(gs_cost_gpu_seconds(gib, 2, false) > gs_cost_gpu_seconds(gib, 4, false));
    CHECK(gs_cost_gpu_seconds(gib, 64, false) >= gs_cost_gpu_seconds(gib, 16, false));
    /* Beyond the page cache's speed more threads do not help. */
    CHECK(gs_cost_cpu_seconds(gib, 128) <= gs_cost_cpu_seconds(gib, 16));
    CHECK(gs_cost_cpu_seconds(gib, 128) > 0.1);
    return check_failures();
}
