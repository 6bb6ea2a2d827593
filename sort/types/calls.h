/* calls.h -- the table of calls for elements of one width, or for records that no element holds.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_CALLS_H
#define GS_CALLS_H

#include "sort/types/external_source.h"
#include "sort/types/forecast.h"
#include "sort/types/look.h"
#include "sort/types/sift_by.h"
#include "sort/types/types.h"

/* Work done while a pipe is read (pipeline/incoming.h): pass the state to sort() as
 * options.own.incoming. start() may return NULL, which all other calls accept. The caller's thread
 * reads, tells of `count` keys, all of the input so far, and pauses before it moves them; it must
 * not touch what it has told of until the next pause or end. To be ended before the keys are
 * sorted, and restored if it is not sort() that sorts them. */
struct gs_incoming_calls {
    struct gs_incoming *(*start)(const struct gs_options *options);
    void (*tell)(struct gs_incoming *incoming, void *keys, uint64_t count);
    void (*pause)(struct gs_incoming *incoming);
    void (*end)(struct gs_incoming *incoming);
    void (*restore)(struct gs_incoming *incoming);
    void (*free)(struct gs_incoming *incoming);
};

/* Records in the memory of the current GPU: an array, another one or the same, and memory to sort
 * with. Work is queued on the stream. */
struct gs_device_array {
    const void *in;
    void *out;
    unsigned index_bytes; /* 0, or `out` is for the records' positions, of 4 or 8 bytes each */
    uint64_t count;
    void *temp; /* NULL: only set temp_bytes to what it must have */
    size_t temp_bytes;
    struct CUstream_st *stream; /* CUDA's cudaStream_t */
    bool no_wait;               /* queue all of it at once, so that it can be captured in a graph */
};

/* The calls. Elements are unsigned little-endian integers. */
struct gs_width {
    unsigned key_bytes;

    /* Check options before any work: GS_ERR_USAGE if one exceeds its limit (limits.h) or is
     * malformed, GS_ERR_DEVICE if keys of this width or this build cannot do what they ask for. */
    enum gs_status (*check_options)(const struct gs_options *options, struct gs_error *err);

    /* GS_ERR_INPUT if count exceeds what options->engine takes: shared-memory engines have a
     * limit. */
    enum gs_status (*check_count)(const struct gs_options *options, uint64_t count,
                                  struct gs_error *err);

    /* Announce a sort of count keys: if sort() would take a GPU, begin to start it now, in parallel
     * to all else. more: these keys have come and others are still being read, which hides the
     * GPU's start. Returns the device that sort() would take. May be called again as count grows.
     * NULL: that is the CPU. */
    enum gs_device (*prepare)(const struct gs_options *options, uint64_t count, bool more);

    /* Would at least half of the keys stay under options->unique? Estimated from a sample; false
     * for few keys or when there is no memory. NULL: not known. */
    bool (*keeps_most)(const struct gs_options *options, const struct gs_span *spans,
                       size_t span_count);

    /* Sort the keys of all spans together into sink. progress and stats may be NULL. On failure the
     * sink may have received part of the output. */
    enum gs_status (*sort)(const struct gs_options *options, const struct gs_span *spans,
                           size_t span_count, struct gs_sink *sink, struct gs_progress *progress,
                           struct gs_stats *stats, struct gs_error *err);

    /* Predict a sort of count keys. Starts no device. */
    void (*forecast)(const struct gs_options *options, uint64_t count,
                     struct gs_forecast *forecast);

    /* The index of the first key that is out of order with its predecessor, or count if there is
     * none. previous, if not NULL, is the key before the first. options->reverse and ->unique
     * define the order (unique: strict). Uses options->threads for large inputs. */
    uint64_t (*first_disorder)(const struct gs_options *options, const void *keys, uint64_t count,
                               const void *previous);

    /* Look at records for order and fingerprint. */
    gs_look_at *look;

    /* Find what may be in a part of the output. */
    gs_sift_by *sift;

    /* Merge all spans into sink. Each must be in the order that options->reverse says; equal keys
     * are allowed. A span out of order is GS_ERR_INPUT, "NAME:INDEX: disorder: KEY". Takes fewer
     * threads to keep buffers below options->memory_bytes (0: no limit). progress may be NULL.
     * Then: predict that, for `count` keys in all. */
    enum gs_status (*merge)(const struct gs_options *options, const struct gs_span *spans,
                            size_t span_count, struct gs_sink *sink, struct gs_progress *progress,
                            struct gs_stats *stats, struct gs_error *err);
    void (*forecast_merge)(const struct gs_options *options, size_t span_count, uint64_t count,
                           struct gs_forecast *forecast);

    /* Sort through temporary files, as sort() does in memory; stats must not be NULL.
     * stats->temporary_bytes is what was written to temporary files. Then: GS_ERR_MEMORY if
     * memory_bytes is too little for `count` keys; NULL: it never is. */
    enum gs_status (*sort_external)(const struct gs_options *options,
                                    const struct gs_external *source, struct gs_sink *sink,
                                    struct gs_progress *progress, struct gs_stats *stats,
                                    struct gs_error *err);
    enum gs_status (*check_external)(const struct gs_options *options, uint64_t memory_bytes,
                                     uint64_t count, struct gs_error *err);

    /* Sort records in device memory. NULL: elements only. */
    enum gs_status (*sort_device)(const struct gs_options *options, struct gs_device_array *array,
                                  struct gs_error *err);

    /* NULL: nothing is done while a pipe is read. */
    const struct gs_incoming_calls *incoming;
};

#endif
