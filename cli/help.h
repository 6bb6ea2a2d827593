/* help.h -- the answer of -h; --help is argp's.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_HELP_H
#define GS_HELP_H

/* Print it to standard output. */
void gs_help_short(void);

#endif
