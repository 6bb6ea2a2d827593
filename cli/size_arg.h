/* size_arg.h -- parse the numbers on the command line: sizes as in sort(1), and plain counts.
 * SPDX-License-Identifier: MIT
 *
 * option is its name for messages: "invalid --bins argument 'x'". Errors are GS_ERR_USAGE.
 */
#ifndef GS_SIZE_ARG_H
#define GS_SIZE_ARG_H

#include "common/status.h"

#include <stdint.h>

/* Parse a size as GNU sort does for -S: decimal digits (no blank or sign) and at most one suffix of
 *   b B bytes   k K KiB   m M MiB   g G GiB   t T TiB   P PiB   E EiB   (Z Y R Q: always too large)
 *   % of `total` bytes
 * No suffix means KiB; no digits before a suffix other than b and % means 1. % is refused if total
 * is 0: there is nothing to take a share of. Besides: KiB and so on in full; kB, MB, GB and so on
 * for powers of 1000; digits behind a decimal point. */
enum gs_status gs_size_arg_parse(const char *option, const char *text, uint64_t total,
                                 uint64_t *bytes, struct gs_error *err);

/* The same without %, where no suffix means bytes, of which there are at most `most`. */
enum gs_status gs_bytes_arg_parse(const char *option, const char *text, uint64_t most,
                                  uint64_t *bytes, struct gs_error *err);

/* Parse a decimal number from least to most, and nothing else. */
enum gs_status gs_count_arg_parse(const char *option, const char *text, uint64_t least,
                                  uint64_t most, uint64_t *count, struct gs_error *err);

#endif
