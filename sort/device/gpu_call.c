/* gpu_call.c -- make a chosen CUDA call fail, or a bit flip, in debug builds: for tests.
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/gpu_call.h"

#ifdef GS_DEBUG
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Write one byte per call, so that a test learns how many calls there are. */
static void log_call(void)
{
    const char *name = getenv("GSORT_FAIL_GPU_LOG");
    int fd = name != NULL ? open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd < 0)
        return;
    ssize_t written = write(fd, ".", 1);
    (void)written; /* the test will miss it */
    close(fd);
}

cudaError_t gs_gpu_inject(cudaError_t error)
{
    static atomic_int calls;
    const char *wanted = getenv("GSORT_FAIL_GPU");
    int call = atomic_fetch_add(&calls, 1) + 1;
    log_call();
    int first = wanted != NULL ? atoi(wanted) : 0;
    bool lost = getenv("GSORT_FAIL_GPU_LOST") != NULL;
    if (first <= 0 || call < first || (call > first && !lost))
        return error;
    return getenv("GSORT_FAIL_GPU_MEMORY") != NULL ? cudaErrorMemoryAllocation
                                                   : cudaErrorLaunchFailure;
}

void gs_gpu_flip(const char *word, const void *memory, size_t bytes, cudaStream_t stream)
{
    const char *wanted = getenv("GSORT_FLIP_GPU");
    unsigned char *byte = (unsigned char *)memory + bytes / 2;
    unsigned char value;
    if (wanted == NULL || strcmp(wanted, word) != 0 || bytes == 0 ||
        cudaStreamSynchronize(stream) != cudaSuccess ||
        cudaMemcpy(&value, byte, 1, cudaMemcpyDeviceToHost) != cudaSuccess)
        return;
    value ^= 1;
    (void)cudaMemcpy(byte, &value, 1, cudaMemcpyHostToDevice);
}
#endif
