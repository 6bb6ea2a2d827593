/* sorter.h -- sort keys: choose engine and device, then run the pipeline.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SORTER_H
#define GS_SORTER_H

#include "sort/run/stages.h"
#include "sort/types/types.h"

/* Check options before any work: GS_ERR_USAGE if one exceeds its limit (limits.h) or is malformed,
 * GS_ERR_DEVICE if this build cannot do what they ask for. */
enum gs_status gs_options_check(const struct gs_options *options, struct gs_error *err);

/* GS_ERR_INPUT if count exceeds what options->engine takes: shared-memory engines have a limit. */
enum gs_status gs_options_check_count(const struct gs_options *options, uint64_t count,
                                      struct gs_error *err);

/* Announce a sort of count keys: if gs_sort would take a GPU, begin to start it now, in parallel to
 * all else. more: these keys have come and others are still being read, which hides the GPU's
 * start; the start is put off until a GPU would be faster even for GS_GPU_START_KEYS (cost.h) fewer
 * keys, since gs_sort waits for the GPU if the input ends now. Returns the device that gs_sort
 * would take. May be called again as count grows. */
enum gs_device gs_prepare(const struct gs_options *options, uint64_t count, bool more);

/* Would at least half of the keys stay under options->unique? Estimated from a sample; false for
 * few keys or when there is no memory. */
bool gs_sort_keeps_most(const struct gs_options *options, const struct gs_span *spans,
                        size_t span_count);

/* Sort the keys of all spans together into sink. progress and stats may be NULL. On failure the
 * sink may have received part of the output. */
enum gs_status gs_sort(const struct gs_options *options, const struct gs_span *spans,
                       size_t span_count, struct gs_sink *sink, struct gs_progress *progress,
                       struct gs_stats *stats, struct gs_error *err);

/* The same for a part of a larger sort, by a plan: the span has keys, not records, which lie in
 * bins, and the output continues the one whose last key is *last. */
enum gs_status gs_sort_part(const struct gs_options *options, const struct gs_plan *plan,
                            const struct gs_span *span, struct gs_binned *binned,
                            struct gs_last_key *last, struct gs_sink *sink, struct gs_stats *stats,
                            struct gs_error *err);

/* Sort run->tiles by a plan with the stages of one device, which may change the plan; options,
 * stats and progress are set. *partial: a stream has got some keys already, so that a failed sort
 * cannot be repeated on another device. */
enum gs_status gs_sort_on(struct gs_run *run, const struct gs_plan *plan,
                          const struct gs_stages *stages, struct gs_sink *sink, bool *partial,
                          struct gs_error *err);

/* The device that gs_sort would take for count keys, and why, if the GPU has started or not; and
 * the name of the engine. */
enum gs_device gs_sort_choose(const struct gs_options *options, uint64_t count, bool gpu_started,
                              char because[GS_REASON_BYTES]);
const char *gs_sort_engine(const struct gs_options *options);

#endif
