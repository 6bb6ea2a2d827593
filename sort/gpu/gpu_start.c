/* gpu_start.c -- start CUDA in the background, and tell why there is no usable GPU.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu/gpu_start.h"
#include "sort/device/gpu_call.h"

#include "common/clock.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the start-up found: written by the thread, read after that was joined. */
static struct {
    pthread_mutex_t mutex;
    pthread_t thread;
    bool started;
    bool threaded; /* there is a thread to join */
    cudaError_t error;
    struct gs_gpu_device device;
    char name[GS_GPU_NAME_BYTES]; /* the device's */
} start = {.mutex = PTHREAD_MUTEX_INITIALIZER};

const char *gs_gpu_refusal(void)
{
    return NULL;
}

bool gs_gpu_present(void)
{
    /* The driver's device nodes: on Linux, and on Linux under Windows (WSL). */
    return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
}

/* Read one line of one of the device's files in /sys. */
static bool read_line(const char *pci, const char *name, char line[64])
{
    char path[128];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", pci, name);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    bool got = fgets(line, 64, file) != NULL;
    fclose(file);
    return got;
}

/* The link's rate each way in bytes per second: "32.0 GT/s PCIe" on each of 16 lanes; from 8 GT/s
 * on, 128 of 130 bits are data. Takes the maximum speed, as an idle link may be slower. */
static double find_bus_rate(void)
{
    char pci[32];
    char line[64];
    if (cudaDeviceGetPCIBusId(pci, sizeof pci, 0) != cudaSuccess)
        return 0;
    for (char *c = pci; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    double transfers = read_line(pci, "max_link_speed", line) ? strtod(line, NULL) * 1e9 : 0;
    double lanes = read_line(pci, "current_link_width", line) ? strtod(line, NULL) : 0;
    return transfers * lanes / 8 * 128 / 130;
}

/* Bytes per second: two transfers per clock over the whole width of the memory bus. */
static double find_memory_rate(void)
{
    int khz = 0;
    int bits = 0;
    if (cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, 0) != cudaSuccess ||
        cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0) != cudaSuccess)
        return 0;
    return 2e3 * khz * bits / 8;
}

/* By default CUDA starts for a program that uses all of it: with eight queues, on each GPU of the
 * machine. Here kernels run one after the other, on the first GPU. Start and end on an H200 server
 * in ms: 230 and 115, with one queue 160 and 68; with a second GPU in the machine and one queue 390
 * and 105, with only the first GPU visible 178 and 68. Settings of the user stay, except that only
 * the first of the user's GPUs is used. */
static void ask_for_little(void)
{
    char first[128];
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    visible = visible != NULL ? visible : "0";
    size_t length = strcspn(visible, ",");
    if (length < sizeof first) {
        memcpy(first, visible, length);
        first[length] = '\0';
        (void)setenv("CUDA_VISIBLE_DEVICES", first, 1);
    }
    (void)setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
}

/* Create a context on the first device: this is what takes time. */
static void *start_cuda(void *nothing)
{
    (void)nothing;
    uint64_t begin = gs_now_ns();
    struct cudaDeviceProp properties;
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    start.error = gs_gpu_inject(cudaSetDevice(0));
    if (start.error == cudaSuccess)
        start.error = gs_gpu_inject(cudaMemGetInfo(&free_bytes, &total_bytes));
    if (start.error == cudaSuccess)
        start.error = gs_gpu_inject(cudaGetDeviceProperties(&properties, 0));
    if (start.error == cudaSuccess) {
        snprintf(start.name, sizeof start.name, "%s", properties.name);
        start.device.name = start.name;
        start.device.free_bytes = free_bytes;
        start.device.block_bytes = properties.sharedMemPerBlockOptin;
        start.device.bus_rate = find_bus_rate();
        start.device.memory_rate = find_memory_rate();
        (void)cudaGetLastError();
        start.device.begin_ns = begin;
        start.device.start_ns = gs_now_ns() - begin;
    }
    return NULL;
}

void gs_gpu_start(void)
{
    pthread_mutex_lock(&start.mutex);
    if (!start.started) {
        start.started = true;
        ask_for_little(); /* here, while no thread of ours reads the environment */
        start.threaded = pthread_create(&start.thread, NULL, start_cuda, NULL) == 0;
        if (!start.threaded)
            start_cuda(NULL);
    }
    pthread_mutex_unlock(&start.mutex);
}

bool gs_gpu_started(void)
{
    pthread_mutex_lock(&start.mutex);
    bool started = start.started;
    pthread_mutex_unlock(&start.mutex);
    return started;
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
    if (error == cudaSuccess) /* each thread that calls CUDA must set its device */
        error = cudaSetDevice(0);
    return gs_gpu_usable(error, err);
}

enum gs_status gs_gpu_usable(int error, struct gs_error *err)
{
    if (error != cudaSuccess)
        (void)cudaGetLastError();
    if (error == cudaErrorInsufficientDriver)
        return gs_fail(err, GS_ERR_DEVICE, 0,
                       "no usable GPU: the NVIDIA driver is missing or older than CUDA %d.%d needs",
                       CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    if (error != cudaSuccess)
        return gs_fail(err, GS_ERR_DEVICE, 0, "no usable GPU: %s",
                       cudaGetErrorString((cudaError_t)error));
    return GS_OK;
}
