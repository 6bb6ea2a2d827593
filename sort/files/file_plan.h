/* file_plan.h -- what a run would do and take, and whether there is room for it.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_FILE_PLAN_H
#define GS_FILE_PLAN_H

#include "sort/files/task.h"
#include "sort/files/pace_look.h"
#include "sort/sort.h"

struct gs_file_plan {
    bool pending; /* there are inputs of unknown size, which all figures leave out */
    uint64_t keys;
    size_t input_count;
    uint64_t limit_bytes;
    const char *method;
    struct gs_forecast forecast;
    unsigned passes; /* how often each key is read, and written */
    uint64_t temporary_bytes;
    uint64_t temporary_room; /* UINT64_MAX: not known */
    uint64_t output_bytes;
    uint64_t split_bytes; /* of it that --split copies, so that they are there twice for a while */
    uint64_t output_room; /* UINT64_MAX: not known, or the output is no file */
    uint64_t fresh_bytes; /* memory and page cache that the run touches for the first time */
    uint64_t
        awaited_bytes; /* to be on the disk before the run can end: more than the cache takes */
    struct gs_pace_look look;
};

/* Find what room there is for output and temporary files. Fails if the run could not work: no such
 * directory, none that may be written, too little space. */
enum gs_status gs_plan_check_room(const struct gs_task *task, struct gs_file_plan *plan,
                                  struct gs_error *err);

#endif
