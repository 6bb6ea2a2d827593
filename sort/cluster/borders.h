/* borders.h -- when all ranks have written: is the output in order across their ranges, and whole?
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_BORDERS_H
#define GS_BORDERS_H

#include "sort/cluster.h"

/* What this rank has written. */
struct gs_borders_range {
    int fd;
    uint64_t start;   /* byte of fd */
    uint64_t count;   /* records */
    uint64_t total;   /* that all ranks have to write together, less under -u */
    const char *name; /* of the output, for messages */
};

/* Collective: read back the first and the last record of each range. GS_ERR_VERIFY if one does not
 * continue the range before it, or records are missing. */
enum gs_status gs_borders_check(const struct gs_cluster *cluster, const struct gs_options *options,
                                const struct gs_borders_range *range, struct gs_error *err);

#endif
