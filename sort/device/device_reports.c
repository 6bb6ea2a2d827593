/* device_reports.c -- where the device reports to sorts in a caller's memory: one pinned page.
 * SPDX-License-Identifier: MIT
 *
 * A caller that resets the device (cudaDeviceReset) unpins the page, but it stays ours, so that
 * nothing else can come to lie there.
 */
#include "sort/device/device_reports.h"
#include "sort/device/gpu_call.h"

#include "common/memory/memory.h"

#include <assert.h>
#include <pthread.h>

enum { PAGE_BYTES = 4096, REPORT_BYTES = 64, REPORTS = PAGE_BYTES / REPORT_BYTES };
static_assert(sizeof(struct gs_gpu_report) <= REPORT_BYTES, "a cache line for each");

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t given;
    unsigned char *page;
    bool taken[REPORTS];
} reports = {.mutex = PTHREAD_MUTEX_INITIALIZER, .given = PTHREAD_COND_INITIALIZER};

/* Let the current device write to the page. */
static enum gs_status pin(struct gs_error *err)
{
    enum gs_status st = GS_OK;
    void *seen = NULL;
    if (reports.page == NULL)
        reports.page = gs_pages_alloc(PAGE_BYTES);
    if (reports.page == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for a page");
    if (cudaHostGetDevicePointer(&seen, reports.page, 0) != cudaSuccess) {
        (void)cudaGetLastError();
        GS_CUDA_TRY(cudaHostRegister(reports.page, PAGE_BYTES,
                                     cudaHostRegisterMapped | cudaHostRegisterPortable));
        GS_CUDA_TRY(cudaHostGetDevicePointer(&seen, reports.page, 0));
    }
    if (seen != reports.page)
        st = gs_fail(err, GS_ERR_DEVICE, 0, "GPU: it cannot write to memory of the host");
cleanup:
    return st;
}

enum gs_status gs_device_report_take(struct gs_gpu_report **report, struct gs_error *err)
{
    enum gs_status st;
    pthread_mutex_lock(&reports.mutex);
    GS_TRY(pin(err));
    for (unsigned i = 0;; i = (i + 1) % REPORTS) {
        if (!reports.taken[i]) {
            reports.taken[i] = true;
            *report = (struct gs_gpu_report *)(void *)(reports.page + (size_t)i * REPORT_BYTES);
            break;
        }
        if (i == REPORTS - 1)
            pthread_cond_wait(&reports.given, &reports.mutex);
    }
cleanup:
    pthread_mutex_unlock(&reports.mutex);
    return st;
}

void gs_device_report_give(const struct gs_gpu_report *report)
{
    pthread_mutex_lock(&reports.mutex);
    reports.taken[((const unsigned char *)report - reports.page) / REPORT_BYTES] = false;
    pthread_cond_signal(&reports.given);
    pthread_mutex_unlock(&reports.mutex);
}
