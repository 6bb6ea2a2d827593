/* device_sorter.h -- what a sort on the device keeps from call to call: sizes, memory, events.
 * SPDX-License-Identifier: MIT
 *
 * Its temporary memory, its own or a caller's, is 1 MiB and 3.8 % of the keys' size, or 12.6 %
 * where a block has less shared memory than GS_GPU_ROOM.
 */
#ifndef GS_DEVICE_SORTER_H
#define GS_DEVICE_SORTER_H

#include "common/status.h"
#include "sort/device/kernels/gpu_work.h"

/* What is timed, of a sorter without room. */
enum gs_device_stage {
    GS_DEVICE_COUNT_BINS, /* of level 1, and the sample before it */
    GS_DEVICE_PREFIX_SUM, /* all levels */
    GS_DEVICE_SCATTER,
    GS_DEVICE_COUNT_DIGITS, /* level 2 and below */
    GS_DEVICE_SCATTER_DIGITS,
    GS_DEVICE_SORT_BINS,
    GS_DEVICE_STAGES
};

struct gs_device_stats {
    float ms[GS_DEVICE_STAGES];       /* milliseconds; this and the next three only if timed */
    float begin_ms[GS_DEVICE_STAGES]; /* since the first stage began */
    float end_ms[GS_DEVICE_STAGES];
    float total_ms;
    unsigned levels;
    uint32_t small_jobs;  /* bins sorted by a block for small jobs */
    uint32_t medium_jobs; /* and by one for medium jobs */
    uint32_t fills;       /* runs of equal keys */
    uint32_t narrow_jobs; /* bins of 16-bit remainders */
    bool split;           /* whether the slots of level 1 were split before level 2 */
    bool uneven;          /* whether digits of level 2 followed the keys' distribution */
    bool in_other;        /* whether the result is in `other`, not in `keys` */
};

struct gs_device_sorter;

/* What pages/pages.h adds to a sorter; all zero without it. gs_device_sort then leaves keys from
 * paged_keys on to `sort`, and the bins that this lists as narrow jobs come back to sort_narrow. */
struct gs_device_room {
    uint64_t paged_keys; /* from here on levels may skip the count */
    uint64_t split_keys; /* and from here on there is one more level, without a count */
    bool split_ordered;  /* do that even if keys are nearly in order, which is slower: for tests */
    struct gs_gpu_pages bin_pages;   /* of level 1 */
    struct gs_gpu_pages split_pages; /* and of the slots that these are split into */
    enum gs_status (*sort)(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other, uint64_t n,
                           bool may_swap, struct gs_device_stats *stats, struct gs_error *err);
    cudaError_t (*sort_narrow)(const struct gs_gpu_work *work, gs_key *a, const gs_key *b,
                               uint32_t jobs, cudaStream_t stream);
};

/* Events of one sort, if it is timed: wider keys may need more levels. */
enum { GS_DEVICE_EVENTS = GS_BITS == 32 ? 64 : 192 };

struct gs_device_sorter {
    uint64_t capacity;
    unsigned processors;  /* multiprocessors of the device */
    cudaStream_t stream;  /* the caller's, the legacy stream by default */
    const gs_key *source; /* where the keys are at first, and stay; NULL: where they are sorted */
    uint32_t few_keys;    /* up to this no bins are used; may be lowered to GS_GPU_MEDIUM_KEYS */
    bool timed;           /* take stage times: set by the caller; costs one event per stage */
    struct gs_gpu_work work;
    uint64_t level_jobs; /* most bins that one level adds to work's lists */
    void *memory;        /* device: all of work except the report and the pages */
    uint32_t sequence;
    cudaEvent_t events[GS_DEVICE_EVENTS];
    unsigned char event_stage[GS_DEVICE_EVENTS];
    unsigned event_count;
    cudaError_t event_error; /* from the first event that was not recorded: times would be wrong */
    struct gs_device_room room;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Fill in all but memory and report, and tell how many bytes of the current device's memory a sort
 * of up to capacity keys takes. Then place it in such memory of the caller, with a report that only
 * this sorter uses: it needs neither open nor close, and cannot be timed. Without a report (NULL)
 * and room, sorts are queued at once: device_queue.h. */
enum gs_status gs_device_sorter_plan(struct gs_device_sorter *sorter, uint64_t capacity,
                                     size_t *bytes, struct gs_error *err);
void gs_device_sorter_place(struct gs_device_sorter *sorter, void *memory,
                            struct gs_gpu_report *report);

/* Allocate temporary memory for up to capacity keys; capacity fixes its size. Free it with close,
 * also after a failure. */
enum gs_status gs_device_sorter_open(struct gs_device_sorter *sorter, uint64_t capacity,
                                     struct gs_error *err);
void gs_device_sorter_close(struct gs_device_sorter *sorter);

#ifdef __cplusplus
}
#endif

#endif
