/* same_files.h -- do all ranks see the same inputs?
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SAME_FILES_H
#define GS_SAME_FILES_H

#include "common/files/input.h"
#include "sort/cluster.h"

/* All ranks have opened the inputs, and mapped them. On one machine they are the same by device and
 * inode, on several as sight.h says. Machines where they are not have copies: each reads all of
 * them, and their fingerprint must be that of rank 0's machine. Collective. */
enum gs_status gs_same_files(const struct gs_cluster *cluster, const struct gs_inputs *inputs,
                             unsigned threads, struct gs_error *err);

#endif
