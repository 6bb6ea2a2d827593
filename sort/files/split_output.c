/* split_output.c -- --split: the output in several files of nearly the same length.
 * SPDX-License-Identifier: MIT
 *
 * The sort writes one file, as ever, so that each way to sort, -u, --verify and the like are the
 * same; then all but the first share of it are copied, and the first file is cut. The files get
 * their names when all of them are complete: rename(2) knows no more than one at a time.
 */
#include "sort/files/split_output.h"

#include "sort/files/combine.h"
#include "common/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COPY_BYTES ((size_t)1 << 20)

/* Room for a number, with the most zeros that a pattern asks for. */
#define NUMBER_BYTES 16

/* Find the %d, or %03d, in the pattern: it begins at *at and has *width digits at least. */
static enum gs_status find_number(const char *pattern, size_t *at, size_t *end, unsigned *width,
                                  struct gs_error *err)
{
    const char *percent = strchr(pattern, '%');
    *width = 0;
    if (percent != NULL && percent[1] == '0' && percent[2] >= '1' && percent[2] <= '9')
        *width = (unsigned)(percent[2] - '0');
    const char *letter = percent == NULL ? NULL : percent + (*width > 0 ? 3 : 1);
    if (letter == NULL || *letter != 'd' || strchr(letter, '%') != NULL)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "-o %s: with --split, one %%d or %%03d in it stands for the number of the "
                       "file, as in part-%%d.bin",
                       pattern);
    *at = (size_t)(percent - pattern);
    *end = (size_t)(letter + 1 - pattern);
    return GS_OK;
}

enum gs_status gs_split_names(struct gs_task *task, struct gs_error *err)
{
    size_t at = 0, end = 0;
    unsigned width = 0;
    const char *pattern = task->output;
    task->found.output = pattern;
    if (task->split == 0)
        return GS_OK;
    if (pattern == NULL)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "--split: standard output is one file: use -o part-%%d.bin");
    enum gs_status st = find_number(pattern, &at, &end, &width, err);
    if (st != GS_OK)
        return st;
    const size_t each = strlen(pattern) + NUMBER_BYTES;
    task->found.part_names = calloc(task->split, sizeof *task->found.part_names);
    char *texts = malloc(task->split * each);
    if (task->found.part_names == NULL || texts == NULL) {
        free(texts);
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "--split");
    }
    for (uint64_t i = 0; i < task->split; i++) {
        task->found.part_names[i] = texts + i * each;
        snprintf(task->found.part_names[i], each, "%.*s%0*u%s", (int)at, pattern, (int)width,
                 (unsigned)i, pattern + end);
    }
    task->found.output = task->found.part_names[0];
    return GS_OK;
}

void gs_split_free(struct gs_task *task)
{
    if (task->found.part_names != NULL)
        free(task->found.part_names[0]);
    free(task->found.part_names);
    task->found.part_names = NULL;
}

/* The first record of file i. */
static uint64_t part_start(const struct gs_task *task, uint64_t keys, uint64_t i)
{
    return keys / task->split * i + keys % task->split * i / task->split;
}

static enum gs_status copy(const struct gs_output *from, uint64_t at, struct gs_output *to,
                           uint64_t bytes, char *buffer, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    for (uint64_t done = 0, here; done < bytes; done += here) {
        here = bytes - done < COPY_BYTES ? bytes - done : COPY_BYTES;
        GS_TRY(gs_file_pread_full(from->fd, buffer, here, from->head_bytes + at + done, from->name,
                                  err));
        GS_TRY(gs_output_write(to, buffer, here, done, err));
    }
cleanup:
    return st;
}

/* Write one of the other files. */
static enum gs_status write_part(struct gs_task *task, const struct gs_output *all, uint64_t keys,
                                 uint64_t i, gs_split_head *write_head, struct gs_output *part,
                                 char *buffer, struct gs_error *err)
{
    enum gs_status st;
    const uint64_t first = part_start(task, keys, i);
    const uint64_t count = part_start(task, keys, i + 1) - first;
    const unsigned bytes = gs_written_bytes(&task->sort);
    GS_TRY(gs_output_open(part, task->found.part_names[i], err));
    if (part->kind != GS_OUTPUT_TEMPORARY)
        return gs_fail(err, GS_ERR_OUTPUT, 0, "%s: --split writes regular files", part->name);
    if (all->head_bytes > 0)
        gs_output_set_head(part, all->head, all->head_bytes);
    GS_TRY(copy(all, first * bytes, part, count * bytes, buffer, err));
    GS_TRY(write_head(task, part, count, err));
    if (task->synced)
        gs_output_sync(part);
    st = gs_output_settle(part, err);
cleanup:
    return st;
}

enum gs_status gs_split_copy(struct gs_task *task, struct gs_output *output, uint64_t keys,
                             gs_split_head *write_head, struct gs_output **parts, uint64_t *first,
                             struct gs_error *err)
{
    enum gs_status st = GS_OK;
    char *buffer = malloc(COPY_BYTES);
    *first = part_start(task, keys, 1);
    *parts = calloc(task->split, sizeof **parts);
    if (buffer == NULL || *parts == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, ENOMEM, "--split");
        goto cleanup;
    }
    for (uint64_t i = 1; i < task->split; i++)
        GS_TRY(write_part(task, output, keys, i, write_head, &(*parts)[i], buffer, err));
    if (output->head_bytes > 0) {
        output->head_written = false;
        st = write_head(task, output, *first, err);
    }
cleanup:
    free(buffer);
    return st;
}

enum gs_status gs_split_publish(const struct gs_task *task, struct gs_output *parts, uint64_t keys,
                                struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const unsigned bytes = gs_written_bytes(&task->sort);
    for (uint64_t i = 1; i < task->split; i++)
        GS_TRY(gs_output_publish(
            &parts[i], (part_start(task, keys, i + 1) - part_start(task, keys, i)) * bytes, err));
cleanup:
    return st;
}

void gs_split_discard(const struct gs_task *task, struct gs_output *parts)
{
    for (uint64_t i = 1; parts != NULL && i < task->split; i++)
        if (parts[i].name != NULL)
            gs_output_discard(&parts[i]);
    free(parts);
}
