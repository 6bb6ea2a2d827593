/* device_sort.h -- sort keys that are already in device memory.
 * SPDX-License-Identifier: MIT
 *
 * A sorter can be used any number of times, for up to `capacity` keys each time. The caller owns
 * the keys and a second buffer of the same size, both aligned to 4 bytes, like keys; the result
 * replaces the keys. (Alignment and the place of the result differ for a sorter with room, see
 * pages/pages.h.)
 */
#ifndef GS_DEVICE_SORT_H
#define GS_DEVICE_SORT_H

#include "sort/device/device_sorter.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif
