/* choose_records.h -- splitters of records by which all ranks get equal shares.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_CHOOSE_RECORDS_H
#define GS_CHOOSE_RECORDS_H

#include "sort/cluster.h"
#include "sort/cluster/record_ranges.h"

/* As gs_ranges_choose: this rank brings `keys` of the `total` records. */
enum gs_status gs_record_ranges_choose(struct gs_record_ranges *ranges,
                                       const struct gs_cluster *cluster,
                                       const struct gs_span *spans, uint64_t keys, uint64_t total,
                                       struct gs_error *err);

#endif
