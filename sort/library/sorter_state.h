/* sorter_state.h -- the state of a sorter, for its calls and for the thread that sorts.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SORTER_STATE_H
#define GS_SORTER_STATE_H

#include "sort/library/grid_store.h"
#include "sort/library/handover.h"
#include "sort/library/library.h"
#include "sort/library/record_store.h"

/* An order that no call pulls. */
#define GS_NO_ORDER SIZE_MAX

struct gsort_sorter {
    const struct gs_kind **kinds; /* of the records, in each order */
    bool *begun;                  /* an order is pulled once */
    size_t order_count;
    size_t record_bytes;
    struct gsort_options given;
    char *own_directory; /* if none is given */
    const char *const *directories;
    size_t directory_count;
    uint64_t memory_bytes;
    uint64_t fitting;     /* so many bytes of records can be sorted in memory */
    pthread_mutex_t turn; /* one call at a time */
    pid_t process;
    struct gs_record_store store; /* what is in memory; with several orders, at last a chunk of */
    struct gs_grid_store grid;    /* what is in temporary files, if */
    bool spilled;
    size_t order; /* that handover sorts, or GS_NO_ORDER */
    struct gs_handover handover;
    bool streams;        /* it is fed with what is pushed */
    bool finished;       /* all is pushed */
    struct gs_error err; /* the first one, which all later calls repeat */
};

/* Of that order. small: by one thread. */
struct gs_options gs_sorter_options(const struct gsort_sorter *sorter, size_t order, bool small);

/* Can so many bytes of records be sorted in memory, in all orders? */
bool gs_sorter_fits(const struct gsort_sorter *sorter, uint64_t bytes);

/* Make the grid, by what is in memory or, if that is more, by the records that are pushed now. */
enum gs_status gs_sorter_spill(struct gsort_sorter *sorter, const void *records, uint64_t count,
                               struct gs_error *err);

/* gs_job_work: move what is in memory to temporary files. Sort what is in memory; that, if it is
 * the only order, and what will be fed; an order of what is in temporary files. */
gs_job_work gs_sorter_write, gs_sorter_sort_held, gs_sorter_sort_fed, gs_sorter_sort_spilled;

#endif
