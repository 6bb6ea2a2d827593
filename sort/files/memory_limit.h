/* memory_limit.h -- how much memory and address space a run may use.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_MEMORY_LIMIT_H
#define GS_MEMORY_LIMIT_H

#include "sort/files/task.h"

/* Bytes of memory for a run: -S, or else three quarters of the least of physical memory, what the
 * system has available, and what the control group, the limit on address space or strict accounting
 * leaves. What a small input takes is always allowed, as sort(1) has a least buffer, too. Without
 * -S, an output on tmpfs is subtracted: `keys` keys and, if `pending`, whatever pipes will bring.
 */
uint64_t gs_memory_limit(const struct gs_task *task, uint64_t keys, bool pending);

/* The memory that a small input takes, by one thread: whatever -S says, so much is allowed. */
uint64_t gs_memory_least(const struct gs_options *options);

/* Bytes of buffers that a sort of so many keys in memory takes. */
uint64_t gs_memory_buffers(const struct gs_options *options, uint64_t keys);

/* Forecast a sort of `keys` keys in memory: does it keep to so many bytes, beside held_bytes of
 * inputs in memory, which it gives back as its buffers fill? If so with fewer threads alone, each
 * of which still has enough to do, options then say so many. Else a small input would need
 * temporary files because of what threads take that it has no use for. */
bool gs_memory_fits(struct gs_options *options, uint64_t bytes, uint64_t held_bytes, uint64_t keys,
                    struct gs_forecast *forecast);

/* GS_ERR_MEMORY if so many bytes are too little for an external sort of `keys` keys. */
enum gs_status gs_memory_check_external(const struct gs_options *options, uint64_t bytes,
                                        uint64_t keys, struct gs_error *err);

/* Bytes of address space that a sort of `keys` keys, or of `more`, takes besides mapped inputs. */
uint64_t gs_address_space_wanted(const struct gs_task *task, uint64_t keys, bool more);

/* In a control group with a limit: bound dirty pages so that they fit beside the buffers, which may
 * still take memory_bytes. No bound if, beside the needed_bytes that buffers really need, the group
 * has room for twice the written_bytes that will be written. The last call counts. Do not call
 * while the caller's call of the library writes. */
void gs_memory_bound_dirty(const struct gs_options *options, uint64_t memory_bytes,
                           uint64_t needed_bytes, uint64_t written_bytes);

/* Lower the number of threads where address space or data is limited, or the memory of a control
 * group: their stacks and buffers take at most a quarter of it. (Where fewer can be started, fewer
 * sort: team.c.) */
void gs_limit_threads(struct gs_task *task);

#endif
