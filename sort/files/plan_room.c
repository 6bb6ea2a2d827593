/* plan_room.c -- is there room for a planned run's output and temporary files?
 * SPDX-License-Identifier: MIT
 *
 * What is refused here is what the run itself would refuse, or find when its disk is full.
 */
#include "sort/files/combine.h"
#include "common/human.h"
#include "sort/files/file_plan.h"
#include "common/files/file.h"
#include "common/files/output.h"
#include "common/files/space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static enum gs_status fail_room(const char *name, const char *what, uint64_t bytes, uint64_t room,
                                const char *cure, struct gs_error *err)
{
    char needed[GS_HUMAN_TEXT];
    char has[GS_HUMAN_TEXT];
    return gs_fail(err, GS_ERR_OUTPUT, ENOSPC, "%s: no room for %s of %s, only for %s: %s", name,
                   what, gs_human_bytes(bytes, needed), gs_human_bytes(room, has), cure);
}

/* Open the output as the run would, and give it up. Not a pipe, where that would wait for a reader.
 * *device: of a new file. */
static enum gs_status check_output(const struct gs_task *task, struct gs_file_plan *plan,
                                   dev_t *device, struct gs_error *err)
{
    struct stat status;
    struct gs_output output;
    enum gs_status st;
    if (task->found.output == NULL || (stat(task->found.output, &status) == 0 &&
                                       !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
        return GS_OK;
    st = gs_output_open(&output, task->found.output, err);
    if (st != GS_OK)
        return st;
    if (output.kind == GS_OUTPUT_TEMPORARY && fstat(output.fd, &status) == 0) {
        *device = status.st_dev;
        plan->output_room = gs_space_free(output.fd);
    }
    gs_output_discard(&output);
    const uint64_t most = plan->output_bytes + plan->split_bytes;
    if (most <= plan->output_room || gs_writes_fewer(&task->sort))
        return GS_OK;
    return fail_room(task->found.output,
                     plan->split_bytes > 0 ? "an output and its parts" : "an output", most,
                     plan->output_room, "use -o on another file system", err);
}

/* Is a directory before this one on the same file system, so that its room is counted already? */
static bool counted_before(const struct gs_task *task, size_t index, dev_t device)
{
    struct stat other;
    for (size_t i = 0; i < index; i++)
        if (stat(task->found.directories[i], &other) == 0 && other.st_dev == device)
            return true;
    return false;
}

/* The room of all directories together, less what the output will take there. */
static enum gs_status find_temporary_room(const struct gs_task *task, struct gs_file_plan *plan,
                                          dev_t output_device, struct gs_error *err)
{
    plan->temporary_room = 0;
    for (size_t i = 0; i < task->found.directory_count; i++) {
        const char *name = task->found.directories[i];
        struct stat status;
        const int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0 || fstat(fd, &status) != 0 ||
            gs_file_access(AT_FDCWD, name, W_OK | X_OK, 0) != 0) {
            const int errnum = errno;
            if (fd >= 0)
                close(fd);
            return gs_fail(err, GS_ERR_OUTPUT, errnum,
                           "%s: no directory for temporary files: set -T or TMPDIR", name);
        }
        uint64_t room = counted_before(task, i, status.st_dev) ? 0 : gs_space_free(fd);
        close(fd);
        if (room > 0 && room != UINT64_MAX && status.st_dev == output_device)
            room -= plan->output_bytes < room ? plan->output_bytes : room;
        if (__builtin_add_overflow(plan->temporary_room, room, &plan->temporary_room))
            plan->temporary_room = UINT64_MAX;
    }
    return GS_OK;
}

enum gs_status gs_plan_check_room(const struct gs_task *task, struct gs_file_plan *plan,
                                  struct gs_error *err)
{
    dev_t device = 0;
    plan->output_room = UINT64_MAX;
    plan->temporary_room = UINT64_MAX;
    enum gs_status st = check_output(task, plan, &device, err);
    if (st == GS_OK && plan->temporary_bytes > 0)
        st = find_temporary_room(task, plan, device, err);
    if (st != GS_OK || task->resumes) /* some of it may be there already */
        return st;
    /* What memory holds need not be written. */
    const uint64_t least =
        plan->temporary_bytes > plan->limit_bytes ? plan->temporary_bytes - plan->limit_bytes : 0;
    if (least <= plan->temporary_room)
        return GS_OK;
    return fail_room(task->found.directories[0], "temporary files", least, plan->temporary_room,
                     "name a directory with -T", err);
}
