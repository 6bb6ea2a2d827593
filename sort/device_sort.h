/* device_sort.h -- sort keys that are in device memory already.
 * SPDX-License-Identifier: MIT
 *
 * One sorter sorts up to `capacity` keys at a time, again and again. The caller owns the keys and a
 * second buffer for as many, both aligned to 4 bytes, as keys are; the result is where the keys
 * were. (Of a sorter with room, see gs_device_sorter_add_room, neither is so.) Temporary
 * memory, 3.8 % of the keys (12.6 % where a block has less shared memory than GS_GPU_ROOM) and 1
 * MiB, belongs to the sorter.
 */
#ifndef GS_DEVICE_SORT_H
#define GS_DEVICE_SORT_H

#include "common/status.h"
#include "sort/gpu_sort.h"

enum gs_device_stage {
    GS_DEVICE_SELECT_SAMPLES,
    GS_DEVICE_SORT_SAMPLES, /* and choose the splitters */
    GS_DEVICE_COUNT_BINS,   /* level 1 */
    GS_DEVICE_PREFIX_SUM,   /* all levels */
    GS_DEVICE_SCATTER,
    GS_DEVICE_COUNT_DIGITS, /* level 2 and below */
    GS_DEVICE_SCATTER_DIGITS,
    GS_DEVICE_SORT_BINS,
    GS_DEVICE_STAGES
};

struct gs_device_stats {
    float ms[GS_DEVICE_STAGES];       /* only if timed, as is the rest of times: */
    float begin_ms[GS_DEVICE_STAGES]; /* since the first stage began */
    float end_ms[GS_DEVICE_STAGES];
    float total_ms;
    unsigned levels;
    uint32_t bins;        /* of level 1 */
    uint32_t small_jobs;  /* bins sorted by a small block */
    uint32_t medium_jobs; /* and by a large one */
    uint32_t fills;       /* runs of equal keys */
    uint32_t narrow_jobs; /* bins of 16-bit remainders */
    enum gs_gpu_outcome outcome;
    bool split;    /* slots of level 1 have been, before level 2 */
    bool uneven;   /* digits of level 2 have followed the keys */
    bool in_other; /* the result is, not in keys */
};

struct gs_device_sorter {
    uint64_t capacity;
    unsigned processors; /* multiprocessors of the device */
    cudaStream_t stream; /* the caller's, the legacy stream by default */
    uint32_t few_keys;   /* inputs up to this have no bins; may be lowered to GS_GPU_MEDIUM_KEYS */
    uint64_t paged_keys; /* from here on levels may go without a count, if there is room */
    uint64_t split_keys; /* and there is a level more, without a count, ... */
    bool split_ordered;  /* also where keys are nearly in order, which takes longer: for tests */
    bool timed;          /* take stage times: set by the caller, costs an event a stage */
    struct gs_gpu_work work;
    uint64_t level_jobs;             /* bins that one level adds to work's lists at most */
    void *memory;                    /* device: all of work but the report and the pages */
    void *room;                      /* device: pages and rooms */
    struct gs_gpu_pages bin_pages;   /* of level 1 */
    struct gs_gpu_pages split_pages; /* and of what its slots are split into */
    uint32_t sequence;
    cudaEvent_t events[GS_DEVICE_STAGES * 8];
    unsigned char event_stage[GS_DEVICE_STAGES * 8];
    unsigned event_count;
    cudaError_t event_error; /* the first that was not recorded: the times would be wrong */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Take temporary memory for up to capacity keys. Free with close, also after a failure. */
enum gs_status gs_device_sorter_open(struct gs_device_sorter *sorter, uint64_t capacity,
                                     struct gs_error *err);
void gs_device_sorter_close(struct gs_device_sorter *sorter);

/* For callers whose keys are on the device already; those of a file are counted while they come.
 * Take more memory, so that gs_device_sort need not count: 20 % of 2^26 keys, 16 % of 2^28, 14 % of
 * 2^30, 20 % of 2^32. Behind open, once; paged_keys and split_keys may be lowered between the two.
 * Then the result may be in `other`: stats say so; and both must be aligned to 16 bytes, as a block
 * reads four words of a room at once. */
enum gs_status gs_device_sorter_add_room(struct gs_device_sorter *sorter, struct gs_error *err);

/* Sort keys[0 .. n), using other[0 .. n). Work is queued on sorter->stream, and most of it may
 * still be running on return, unless timed. stats may be NULL; then the result is in keys. */
enum gs_status gs_device_sort(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                              uint64_t n, struct gs_device_stats *stats, struct gs_error *err);

/* The same for keys whose bins are known and counted: the caller has cleared work.state, put
 * splitters into work.tables (gs_build_tables_gpu) and called gs_count_bins_gpu for every part of
 * the keys, all on sorter->stream. bins is what gs_device_sort_bins said. */
enum gs_status gs_device_sort_counted(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                      uint64_t n, uint32_t bins, struct gs_device_stats *stats,
                                      struct gs_error *err);

/* For the sort itself: how large jobs may be for n keys, so that two levels are enough for all but
 * the very largest n. */
void gs_device_choose_jobs(struct gs_gpu_work *work, uint64_t n);

/* Bins wanted of level 1 for n keys, a power of two. */
uint32_t gs_device_sort_bins(uint64_t n);

/* Keys wanted of what a slot of level 1 is split into, of n keys in so many bins: level 2 has about
 * as many digits. */
uint64_t gs_device_split_keys(const struct gs_gpu_work *work, uint64_t n, uint32_t bins);

#ifdef __cplusplus
}
#endif

#endif
