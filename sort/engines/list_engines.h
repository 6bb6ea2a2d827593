/* list_engines.h -- which engines sort by lists, how many keys they take, and in how many lists.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_LIST_ENGINES_H
#define GS_LIST_ENGINES_H

#include "sort/engines/interleaved_lists.h"
#include "sort/types/types.h"

/* Shared memory of one block, in bytes, on the GPUs that have the most: compute capabilities 9.0
 * and 10.0. */
#define GS_ENGINE_SHARED_BYTES (227 * 1024)

/* The most keys that an engine takes, on the CPU and on such a GPU. */
#define GS_ENGINE_CAPACITY GS_LISTS_CAPACITY(GS_ENGINE_SHARED_BYTES)

/* Is it one of these three engines? */
bool gs_engine_uses_lists(enum gs_engine engine);

/* The merge of one of these engines. */
enum gs_list_merge gs_engine_list_merge(enum gs_engine engine);

/* The default number of lists for n keys: the fastest on that device, for all three engines. */
uint32_t gs_engine_default_lists(enum gs_device device, uint32_t n);

/* GS_ERR_INPUT if one of these engines gets more keys than capacity. `where` names the limit in the
 * message, or is empty. */
enum gs_status gs_engine_check_count(enum gs_engine engine, uint64_t count, uint32_t capacity,
                                     const char *where, struct gs_error *err);

#endif
