/* version.h -- which gsort this is, and how it was built.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_VERSION_H
#define GS_VERSION_H

/* As 0.2.0, and the commit it was built from, as git abbreviates it, or "unknown". */
extern const char gs_version[];
extern const char gs_commit[];

/* The answer of --version, to standard output. */
void gs_version_print(void);

#endif
