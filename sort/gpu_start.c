/* gpu_start.c -- start CUDA beside everything else, and say what is wrong with it.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu.h"
#include "sort/gpu_call.h"

#include "common/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What the start-up found: written by the thread, read after it was joined. */
static struct {
    pthread_mutex_t mutex;
    pthread_t thread;
    bool started;
    bool threaded; /* there is a thread to join */
    cudaError_t error;
    struct gs_gpu_device device;
} start = {.mutex = PTHREAD_MUTEX_INITIALIZER};

#ifdef GS_DEBUG
cudaError_t gs_gpu_inject(cudaError_t error)
{
    static atomic_int calls;
    const char *wanted = getenv("GSORT_FAIL_GPU");
    int call = atomic_fetch_add(&calls, 1) + 1;
    if (wanted == NULL || call != atoi(wanted))
        return error;
    return getenv("GSORT_FAIL_GPU_MEMORY") != NULL ? cudaErrorMemoryAllocation
                                                   : cudaErrorLaunchFailure;
}
#endif

bool gs_gpu_built(void)
{
    return true;
}

bool gs_gpu_present(void)
{
    /* The driver's device nodes: on Linux, and in the Linux of Windows. */
    return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
}

/* Make a context on the first device: this is what takes time. */
static void *start_cuda(void *nothing)
{
    (void)nothing;
    uint64_t begin = gs_now_ns();
    struct cudaDeviceProp properties;
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    start.error = gs_gpu_inject(cudaSetDevice(0));
    if (start.error == cudaSuccess)
        start.error = cudaMemGetInfo(&free_bytes, &total_bytes);
    if (start.error == cudaSuccess)
        start.error = cudaGetDeviceProperties(&properties, 0);
    if (start.error == cudaSuccess) {
        snprintf(start.device.name, sizeof start.device.name, "%s", properties.name);
        start.device.free_bytes = free_bytes;
        start.device.start_ns = gs_now_ns() - begin;
    }
    return NULL;
}

void gs_gpu_start(void)
{
    pthread_mutex_lock(&start.mutex);
    if (!start.started) {
        start.started = true;
        start.threaded = pthread_create(&start.thread, NULL, start_cuda, NULL) == 0;
        if (!start.threaded)
            start_cuda(NULL);
    }
    pthread_mutex_unlock(&start.mutex);
}

enum gs_status gs_gpu_wait(struct gs_gpu_device *device, struct gs_error *err)
{
    gs_gpu_start();
    pthread_mutex_lock(&start.mutex);
    if (start.threaded)
        pthread_join(start.thread, NULL);
    start.threaded = false;
    *device = start.device;
    cudaError_t error = start.error;
    pthread_mutex_unlock(&start.mutex);
    if (error == cudaSuccess) /* each thread that calls CUDA says which device it means */
        error = cudaSetDevice(0);
    if (error == cudaErrorInsufficientDriver)
        return gs_fail(err, GS_ERR_DEVICE, 0,
                       "no usable GPU: the NVIDIA driver is missing or older than CUDA %d.%d needs",
                       CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    if (error != cudaSuccess)
        return gs_fail(err, GS_ERR_DEVICE, 0, "no usable GPU: %s", cudaGetErrorString(error));
    return GS_OK;
}
