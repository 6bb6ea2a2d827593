/* finish_bins.h -- from bins of tags to records in the output.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_FINISH_BINS_H
#define GS_FINISH_BINS_H

#include "sort/tags/wide.h"

/* Sort each bin, resolve ties, drop duplicates under options->unique, and write the records. */
enum gs_status gs_finish_bins(struct gs_wide *wide, struct gs_error *err);

#endif
