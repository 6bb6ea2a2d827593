/* gpu_report.h -- what the device tells the host of a sort, so that it can go on.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GPU_REPORT_H
#define GS_GPU_REPORT_H

#include <stdint.h>

/* What counting found. FILLED: all keys are in equality bins, so none has to be moved. UNCOUNTED: a
 * level without a count has failed, or was not tried. PAGED: the sample of wider keys tells that
 * level 1 needs no count. */
enum gs_gpu_outcome {
    GS_GPU_UNSORTED,
    GS_GPU_SORTED,
    GS_GPU_REVERSED,
    GS_GPU_FILLED,
    GS_GPU_UNCOUNTED,
    GS_GPU_PAGED
};

/* What the sample of wider keys tells before its splitters are ready: bins should be counted, since
 * it is in order, or most bins have one value; keys are uneven. */
#define GS_GPU_SAMPLE_COUNT  1U
#define GS_GPU_SAMPLE_UNEVEN 2U

/* What the host must know to go on; the device writes it to pinned host memory. */
struct gs_gpu_report {
    uint32_t outcome;
    uint32_t slots;
    uint32_t tiles;
    uint32_t digits;
    uint32_t repeats; /* or values are skewed; this and the next four are from the tables */
    uint32_t few;
    uint32_t few_all;
    uint32_t uneven;
    uint32_t skewed;
    uint32_t small_jobs;
    uint32_t medium_jobs;
    uint32_t fills;
    uint32_t narrow_jobs;
    uint32_t bins;
    uint32_t sequence; /* written last: the report of that number is complete */
    uint32_t sample;   /* before that: its number << 2 | GS_GPU_SAMPLE_* */
};

#endif
