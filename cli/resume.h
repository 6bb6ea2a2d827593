/* resume.h -- --resume: the directories in which a killed sort left what it had done.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_RESUME_H
#define GS_RESUME_H

#include "cli/command.h"
#include "common/journal.h"

struct gs_resume {
    char **names;      /* of the directories, one under each of -T, or NULL */
    size_t name_count; /* that exist */
    char *manifest;    /* path of the journal, in the first of them */
    struct gs_journal journal;
    bool is_new; /* nothing was there that this run could take over */
};

/* With --resume: find or make the directories, which no other process may use meanwhile, and put
 * them and their journal into the command. Without it: nothing. */
enum gs_status gs_resume_open(struct gs_resume *resume, struct gs_command *command,
                              struct gs_error *err);

/* The sort is done, or has failed: then the directories stay if anything is complete. */
void gs_resume_close(struct gs_resume *resume, bool done);

#endif
