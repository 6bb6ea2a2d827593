/* combine_plan.h -- are equal keys combined before they go to temporary files, and how?
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_COMBINE_PLAN_H
#define GS_COMBINE_PLAN_H

#include "sort/files/part_table.h"
#include "sort/files/task.h"
#include "sort/types/external_source.h"

/* The largest packet that a read may get: more than a socket's buffer takes by default. */
#define GS_COMBINE_PACKET ((uint64_t)256 << 10)

/* Parts of the memory: at least for tables, which have half if the sort of parts can do with the
 * rest; and of what is taken from the input at a time. */
#define GS_TABLES_LEAST 16
#define GS_BATCH_SHARE  32

/* What is done before records go to temporary files. */
enum gs_combine_way {
    GS_COMBINE_CLASSIC,  /* nothing: equal keys become one in the output */
    GS_COMBINE_COMPACTS, /* nothing, but there they are combined */
    GS_COMBINE_MADE,     /* a part is made of each, and there these are combined */
    GS_COMBINE_TABLES    /* they are added to tables */
};

struct gs_combine_plan {
    enum gs_combine_way way;
    struct gs_part_form form;
    struct gs_record_order order; /* of the parts; */
    struct gs_options parts;      /* of their sort */
    uint64_t keys;                /* about; UINT64_MAX: not known */
    unsigned threads;
    uint64_t tables_bytes; /* of the memory, */
    uint64_t buffer_bytes; /* and for what is read */
};

/* *plan must stay where it is. */
void gs_combine_plan(struct gs_combine_plan *plan, const struct gs_task *task,
                     const struct gs_external *source);

#endif
