/* external.h -- sort more keys than memory may hold, through temporary files.
 * SPDX-License-Identifier: MIT
 *
 * An external sample sort, by bins in temporary files: external.c tells of it. Nothing is merged.
 * [Blelloch, Leiserson, Maggs, Plaxton, Smith, Zagha: A comparison of sorting algorithms for the
 * connection machine CM-2, 1991, for the sample sort; Vitter: External memory algorithms and data
 * structures, 2001, for distribution sort on disks.]
 */
#ifndef GS_EXTERNAL_H
#define GS_EXTERNAL_H

#include "sort/external/external_entries.h"
#include "sort/types/external_source.h"

/* Sort all keys into sink, as gs_sort does; stats must not be NULL. stats->temporary_bytes is what
 * was written to temporary files. */
enum gs_status gs_sort_external(const struct gs_options *options, const struct gs_external *source,
                                struct gs_sink *sink, struct gs_progress *progress,
                                struct gs_stats *stats, struct gs_error *err);

/* The same for entries of any kind. */
enum gs_status gs_external_sort(const struct gs_entries *entries, const struct gs_options *options,
                                const struct gs_external *source, struct gs_sink *sink,
                                struct gs_progress *progress, struct gs_stats *stats,
                                struct gs_error *err);

#endif
