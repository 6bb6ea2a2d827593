/* device_sort.h -- sort keys that are already in device memory.
 * SPDX-License-Identifier: MIT
 *
 * A sorter can be used any number of times, for up to `capacity` keys each time. The caller owns
 * the keys and a second buffer of the same size, both aligned to 4 bytes, like keys; the result
 * replaces the keys. (Alignment and the place of the result differ for a sorter with room, see
 * pages/pages.h.)
 *
 * The method is a sample sort by levels. Keys that one block sorts in its shared memory are sorted
 * at once (gs_sort_few_gpu). Else level 1 draws a sample, sorts it, chooses splitters, counts the
 * keys of each bin and scatters them to the other buffer; what a block can sort is listed as a job,
 * and a bin that is larger is a slot of level 2. A level of slots finds a digit for each key, a
 * place among the slot's digits that respects the order, and counts, plans and scatters by that, to
 * and fro between the buffers, until no slot is left; then the listed jobs are sorted, each where
 * the output has its range. Two levels are enough for keys that are spread at all evenly. How
 * digits are found is what differs (device_levels.c): linear ones, those of a map where a sample
 * was uneven, splitters of whole keys where they are wider than 32 bits; and keys of 32 bits whose
 * values are few are counted instead (u32/).
 *
 * The calls of one sort, in their order, on sorter->stream; S: here the host waits for a report:
 *
 *   device_sort.c     gs_select_samples_gpu, gs_device_choose_splitters, gs_count_bins_gpu
 *   device_levels.c   gs_device_sort_from_counts: gs_plan_bins_gpu, gs_scatter_bins_gpu, S
 *                     gs_device_sort_slots, each level: gs_count_digits_gpu, gs_plan_digits_gpu,
 *                     gs_device_plan_level, the scatter, S; at the end gs_sort_bins_gpu
 *
 * Without waits, all at once, so that a graph can capture it: device_queue.h.
 *
 * A caller that has the keys come in parts, as gpu/ has them over the bus, chooses splitters from a
 * sample of its own, counts each part as it arrives, and calls gs_device_sort_counted. From
 * room.paged_keys on, a sorter with room of its own does not count level 1 (pages/), nor level 2 of
 * even keys of 32 bits (u32/sort_rooms.c).
 */
#ifndef GS_DEVICE_SORT_H
#define GS_DEVICE_SORT_H

#include "sort/device/device_sorter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sort keys[0 .. n), using other[0 .. n); or what is in sorter->source, to there. Work is queued on
 * sorter->stream, and most of it may still be running on return, unless timed. stats may be NULL;
 * the result is then always in keys. */
enum gs_status gs_device_sort(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                              uint64_t n, struct gs_device_stats *stats, struct gs_error *err);

/* The same for keys whose bins are already chosen and counted: the caller has cleared work.state,
 * put splitters into work.tables (gs_build_tables_gpu) and called gs_count_bins_gpu for every part
 * of the keys, all on sorter->stream. bins is what gs_device_sort_bins returned. */
enum gs_status gs_device_sort_counted(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                      uint64_t n, uint32_t bins, struct gs_device_stats *stats,
                                      struct gs_error *err);

#ifdef __cplusplus
}
#endif

#endif
