/* verify.h -- read the output back and check it against what was sorted.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_VERIFY_H
#define GS_VERIFY_H

#include "sort/types/types.h"

/* Read the output back from byte `start` of fd on and check it against stats: GS_ERR_VERIFY if it
 * is shorter than stats->keys_out, out of order or of another fingerprint, GS_ERR_OUTPUT if it
 * cannot be read. name is used in messages. */
enum gs_status gs_verify_file(const struct gs_options *options, int fd, uint64_t start,
                              struct gs_stats *stats, const char *name, struct gs_error *err);

#endif
