/* resume.h -- --resume: the directories in which a killed sort left what it had done.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_RESUME_H
#define GS_RESUME_H

#include "sort/files/task.h"
#include "common/files/journal.h"
#include "common/files/spill.h"

/* A directory under one of -T. */
struct gs_resume_place {
    char *name;
    char *manifest; /* path of its journal, */
    struct gs_journal journal;
    bool is_new; /* what is in it is all of this run */
};

struct gs_resume {
    struct gs_resume_place *places; /* [count], or NULL */
    struct gs_spill_home *homes;    /* the same, open */
    const char **directories;       /* and their names, for the task, */
    const char *const *before;      /* instead of these, unless it is NULL */
    size_t before_count;
    size_t count;
    struct gs_journal *journal; /* that of them which tells what is complete, or NULL */
};

/* With --resume: find or make the directories, each once and for no other process to use meanwhile,
 * and put them and their journal into the task. Without it: nothing. */
enum gs_status gs_resume_open(struct gs_resume *resume, struct gs_task *task, struct gs_error *err);

/* The sort is done, or has failed: then the directories stay if anything is complete. */
void gs_resume_close(struct gs_resume *resume, struct gs_task *task, bool done);

#endif
