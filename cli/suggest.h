/* suggest.h -- what a word that is not known was probably meant for.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SUGGEST_H
#define GS_SUGGEST_H

#include <argp.h>

/* Append a hint to getopt's message about an option that is not known, if there is one: `said` has
 * room for `size` bytes. */
void gs_suggest_option(const struct argp_option *table, char *said, size_t size);

#endif
