/* device_sort.h -- sort keys that are already in device memory.
 * SPDX-License-Identifier: MIT
 *
 * A sorter can be used any number of times, for up to `capacity` keys each time. The caller owns
 * the keys and a second buffer of the same size, both aligned to 4 bytes, like keys; the result
 * replaces the keys. (Alignment and the place of the result differ for a sorter with room, see
 * gs_device_sorter_add_room.) The sorter owns its temporary memory: 1 MiB and 3.8 % of the keys'
 * size, or 12.6 % where a block has less shared memory than GS_GPU_ROOM.
 */
#ifndef GS_DEVICE_SORT_H
#define GS_DEVICE_SORT_H

#include "common/status.h"
#include "sort/device/gpu_sort.h"

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
    float ms[GS_DEVICE_STAGES];       /* milliseconds; this and the next three only if timed */
    float begin_ms[GS_DEVICE_STAGES]; /* since the first stage began */
    float end_ms[GS_DEVICE_STAGES];
    float total_ms;
    unsigned levels;
    uint32_t bins;        /* of level 1 */
    uint32_t small_jobs;  /* bins sorted by a block for small jobs */
    uint32_t medium_jobs; /* and by one for medium jobs */
    uint32_t fills;       /* runs of equal keys */
    uint32_t narrow_jobs; /* bins of 16-bit remainders */
    enum gs_gpu_outcome outcome;
    bool split;    /* whether the slots of level 1 were split before level 2 */
    bool uneven;   /* whether digits of level 2 followed the keys' distribution */
    bool in_other; /* whether the result is in `other`, not in `keys` */
};

struct gs_device_sorter {
    uint64_t capacity;
    unsigned processors; /* multiprocessors of the device */
    cudaStream_t stream; /* the caller's, the legacy stream by default */
    uint32_t few_keys;   /* up to this no bins are used; may be lowered to GS_GPU_MEDIUM_KEYS */
    uint64_t paged_keys; /* from here on levels may skip the count, if there is room */
    uint64_t split_keys; /* and from here on there is one more level, without a count */
    bool split_ordered;  /* do that even if keys are nearly in order, which is slower: for tests */
    bool timed;          /* take stage times: set by the caller; costs one event per stage */
    struct gs_gpu_work work;
    uint64_t level_jobs;             /* most bins that one level adds to work's lists */
    void *memory;                    /* device: all of work except the report and the pages */
    void *room;                      /* device: pages and rooms */
    struct gs_gpu_pages bin_pages;   /* of level 1 */
    struct gs_gpu_pages split_pages; /* and of the slots that these are split into */
    uint32_t sequence;
    cudaEvent_t events[GS_DEVICE_STAGES * 8];
    unsigned char event_stage[GS_DEVICE_STAGES * 8];
    unsigned event_count;
    cudaError_t event_error; /* from the first event that was not recorded: times would be wrong */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Allocate temporary memory for up to capacity keys; capacity fixes its size. Free it with close,
 * also after a failure. */
enum gs_status gs_device_sorter_open(struct gs_device_sorter *sorter, uint64_t capacity,
                                     struct gs_error *err);
void gs_device_sorter_close(struct gs_device_sorter *sorter);

/* Allocate more memory, so that gs_device_sort need not count: 20 % of the keys' size at 2^26 keys,
 * 16 % at 2^28, 14 % at 2^30, 20 % at 2^32. For callers whose keys are already on the device; keys
 * from a file are counted while they arrive. Call it at most once, after open; paged_keys and
 * split_keys may be lowered in between. The result may then be in `other` (stats->in_other), and
 * both buffers must be aligned to 16 bytes, as a block reads four words of a room at once. */
enum gs_status gs_device_sorter_add_room(struct gs_device_sorter *sorter, struct gs_error *err);

/* Sort keys[0 .. n), using other[0 .. n). Work is queued on sorter->stream, and most of it may
 * still be running on return, unless timed. stats may be NULL; the result is then always in
 * keys. */
enum gs_status gs_device_sort(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                              uint64_t n, struct gs_device_stats *stats, struct gs_error *err);

/* The same for keys whose bins are already chosen and counted: the caller has cleared work.state,
 * put splitters into work.tables (gs_build_tables_gpu) and called gs_count_bins_gpu for every part
 * of the keys, all on sorter->stream. bins is what gs_device_sort_bins returned. */
enum gs_status gs_device_sort_counted(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                      uint64_t n, uint32_t bins, struct gs_device_stats *stats,
                                      struct gs_error *err);

/* For the sort itself: set how large jobs may be for n keys, so that two levels are enough for all
 * but the very largest n. */
void gs_device_choose_jobs(struct gs_gpu_work *work, uint64_t n);

/* The number of bins wanted of level 1 for n keys, a power of two. */
uint32_t gs_device_sort_bins(uint64_t n);

/* The number of keys wanted in each of the slots that level 1's slots are split into, for n keys in
 * `bins` bins: level 2 then has about as many digits. */
uint64_t gs_device_split_keys(const struct gs_gpu_work *work, uint64_t n, uint32_t bins);

#ifdef __cplusplus
}
#endif

#endif
