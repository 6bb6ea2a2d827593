/* option_list.h -- the options: their letters and numbers, names and help.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_OPTION_LIST_H
#define GS_OPTION_LIST_H

#include "sort/files.h"

#include <argp.h>

/* Options that have no letter. */
enum {
    OPT_CHECK = 256,
    OPT_ARGSORT,
    OPT_FILES0_FROM,
    OPT_HEAD,
    OPT_TAIL,
    OPT_SPLIT,
    OPT_SHUFFLE,
    OPT_OFFSETS,
    OPT_OFFSETS_MAX,
    OPT_SKIP,
    OPT_COMBINE,
    OPT_COMBINE_LAST = OPT_COMBINE + GS_COMBINE_LAST,
    OPT_DEVICE,
    OPT_SAMPLES,
    OPT_BINS,
    OPT_LISTS,
    OPT_DEVICE_MEMORY,
    OPT_RESUME,
    OPT_FORMAT,
    OPT_FSYNC,
    OPT_DIRECT,
    OPT_NO_DIRECT,
    OPT_LOCAL,
    OPT_APART,
    OPT_PLAN,
    OPT_PRINT,
    OPT_STATS,
    OPT_STATS_FILE,
    OPT_VERIFY,
    OPT_PROGRESS,
    OPT_HELP,
    OPT_USAGE
};

/* Ends with one of zeros. */
extern const struct argp_option gs_option_list[];

#endif
