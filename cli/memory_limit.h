/* memory_limit.h -- how much memory and address space a run may use.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_MEMORY_LIMIT_H
#define GS_MEMORY_LIMIT_H

#include "cli/options.h"

/* -S; without it three quarters of what the system has available, or of what the control group or
 * the limit on address space leaves, whichever is less, and of physical memory at most. What a
 * small input takes is allowed in any case, as sort(1) has its least buffer too. An output on tmpfs
 * counts, of `keys` keys and, if `pending`, what pipes will bring. */
uint64_t gs_memory_limit(const struct gs_command *command, uint64_t keys, bool pending);

/* Of held_bytes of inputs in memory, what a sort of `keys` keys in memory has beside its buffers.
 * What it gives back still takes address space, where that is limited. */
uint64_t gs_memory_held(const struct gs_options *options, uint64_t keys, uint64_t held_bytes);

/* Address space that the sort of `keys` keys, or of more, will take besides mapped inputs. */
uint64_t gs_address_space_wanted(const struct gs_command *command, uint64_t keys, bool more);

/* In a control group that has a limit, pages that wait for the disk are to fit beside the buffers,
 * which may take memory_bytes more. Nothing is bounded where the group has room for all that will
 * be written, twice written_bytes, beside what buffers need for that, needed_bytes. What is said
 * last counts; not while anything is being written. */
void gs_memory_bound_dirty(const struct gs_options *options, uint64_t memory_bytes,
                           uint64_t needed_bytes, uint64_t written_bytes);

#endif
