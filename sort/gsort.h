/* gsort.h -- the library: sort, merge and check keys of 4, 8 and 16 bytes.
 * SPDX-License-Identifier: MIT
 *
 * The library never prints and never exits. Counts and positions are in keys, sizes in bytes, times
 * in nanoseconds. The caller owns every buffer it passes. A call that has returned keeps nothing,
 * except a GPU's runtime once it has started, and, with options.leave_device, the GPU's buffers and
 * references to the input that filled them: that input must then stay where it is.
 */
#ifndef GS_GSORT_H
#define GS_GSORT_H

#include "sort/types/calls.h"
#include "sort/types/key_text.h"
#include "sort/types/limits.h"

/* The calls for options->key_bytes: 4 (also for 0), 8 or 16. */
const struct gs_width *gs_width(const struct gs_options *options);

/* Read an output back from byte `start` of fd on and check it against stats: GS_ERR_VERIFY if it is
 * shorter than stats->keys_out, out of order or of another fingerprint, GS_ERR_OUTPUT if it cannot
 * be read. name is used in messages. */
enum gs_status gs_verify_file(const struct gs_options *options, int fd, uint64_t start,
                              struct gs_stats *stats, const char *name, struct gs_error *err);

/* Has a GPU's runtime been started? If so, end by _exit: the runtime's exit handlers take long, and
 * crash if they run while it is still starting. */
bool gs_holds_device(void);

#endif
