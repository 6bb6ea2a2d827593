/* key_estimate.h -- how many keys does an input have, and are most records of few of them?
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_KEY_ESTIMATE_H
#define GS_KEY_ESTIMATE_H

#include "sort/files/part_table.h"
#include "sort/sort.h"

/* Places of the sample: each is a page to read. */
#define GS_ESTIMATE_PLACES 4096

/* Estimate the number of keys in the source's spans, of `total` records, at least those of the
 * sample. UINT64_MAX: there are many. *rare: the share of the sample whose key is there once. */
uint64_t gs_estimate_keys(const struct gs_part_form *parts, const struct gs_external *source,
                          uint64_t total, double *rare);

#endif
