/* size_arg.h -- the numbers on the command line: sizes as in sort(1), and plain counts.
 * SPDX-License-Identifier: MIT
 *
 * option is the option's name for the message, as in "invalid --bins argument 'x'".
 */
#ifndef GS_SIZE_ARG_H
#define GS_SIZE_ARG_H

#include "common/status.h"

#include <stdint.h>

/* A size, as GNU sort reads it after -S: decimal digits (no blank or sign) and one suffix, of
 *   b bytes   k K KiB   m M MiB   g G GiB   t T TiB   P PiB   E EiB   (Z Y R Q: always too large)
 *   % of `total` bytes
 * No suffix means KiB; no digits before a suffix other than b and % means 1. With total 0 there is
 * nothing to take a share of, and % is refused. */
enum gs_status gs_size_arg_parse(const char *option, const char *text, uint64_t total,
                                 uint64_t *bytes, struct gs_error *err);

/* A decimal number from least to most, and nothing else. */
enum gs_status gs_count_arg_parse(const char *option, const char *text, uint64_t least,
                                  uint64_t most, uint64_t *count, struct gs_error *err);

#endif
