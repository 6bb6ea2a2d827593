/* chunk_sizes.h -- what a sort of records through temporary files takes: sizes of chunks.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_CHUNK_SIZES_H
#define GS_CHUNK_SIZES_H

#include "sort/types/types.h"

/* The least records of a chunk that are worth the effort. */
#define GS_CHUNK_LEAST 64

/* The most records that can be sorted within so many bytes; loaded: and take room themselves. */
uint64_t gs_chunk_fit(const struct gs_options *options, uint64_t bytes, bool loaded);

/* The most records that chunks of this size serve: their number does not grow too large. */
uint64_t gs_chunk_serves(const struct gs_options *options, uint64_t chunk);

/* MiB of memory that sorting so many records takes, by one thread. */
uint64_t gs_chunk_mebibytes(const struct gs_options *options, uint64_t count);

/* Choose the chunk for `count` records, 0 if that is not known, and fewer threads where memory is
 * short; options: of records in temporary files. GS_ERR_MEMORY: it is too short. */
enum gs_status gs_chunk_plan(struct gs_options *options, uint64_t memory, uint64_t count,
                             uint64_t *chunk, struct gs_error *err);

/* Fail with GS_ERR_MEMORY: `count` records, and what `more` says, take so many MiB. */
enum gs_status gs_chunk_refuse(const struct gs_options *options, uint64_t count, const char *more,
                               uint64_t mebibytes, uint64_t memory, struct gs_error *err);

#endif
