/* help.h -- the answers of -h and --version; --help is argp's.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_HELP_H
#define GS_HELP_H

/* Print them to standard output. */
void gs_help_short(void);
void gs_help_version(void);

#endif
