/* device_reports.h -- where the device reports to sorts in a caller's memory: one pinned page.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_DEVICE_REPORTS_H
#define GS_DEVICE_REPORTS_H

#include "common/status.h"
#include "sort/device/kernels/gpu_report.h"

/* Take a report, which only this thread then uses; all may be taken: it waits. The first call pins
 * the page, which stays. Give it back when no kernel will write to it any more. */
enum gs_status gs_device_report_take(struct gs_gpu_report **report, struct gs_error *err);
void gs_device_report_give(const struct gs_gpu_report *report);

#endif
