/* local_files.c -- --local: no two ranks have the same file, whatever its names.
 * SPDX-License-Identifier: MIT
 */
#include "cli/local_files.h"

#include "cli/sight.h"
#include "common/files/target.h"
#include "common/files/tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Has a rank before this one an input that is one of this rank's? sights: of all ranks. (Of
 * character devices, /dev/null is what a rank without records may name.) */
static enum gs_status compare_inputs(const struct gs_cluster *cluster,
                                     const struct gs_command *command,
                                     const struct gs_sight *sights, struct gs_error *err)
{
    const size_t count = command->file_count;
    const size_t before = (size_t)cluster->rank * count;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < before; j++) {
            const struct gs_sight *own = &sights[before + i];
            if (own->kind != S_IFCHR && gs_sight_is_same(own, &sights[j]))
                return gs_fail(err, GS_ERR_USAGE, 0,
                               "%s: rank %d has the same file there as rank %zu: with --local, "
                               "each needs its own",
                               command->files[i], cluster->rank, j / count);
        }
    return GS_OK;
}

/* A rank's output: the last part of its name, and a temporary file beside it. */
struct place {
    char base[NAME_MAX + 1];
    char temporary[GS_NAME_BYTES];
};

static bool has_namesake(const struct gs_cluster *cluster, const struct place *places)
{
    for (int i = 0; i < cluster->size; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(places[i].base, places[j].base) == 0)
                return true;
    return false;
}

/* Is the temporary file of a rank before this one, whose output has the same name as this one's, in
 * this one's directory, too? */
static enum gs_status compare_places(const struct gs_cluster *cluster, const char *output,
                                     const struct gs_target *target, const struct place *places,
                                     struct gs_error *err)
{
    struct stat status;
    for (int i = 0; i < cluster->rank; i++)
        if (strcmp(places[i].base, places[cluster->rank].base) == 0 &&
            fstatat(target->dirfd, places[i].temporary, &status, AT_SYMLINK_NOFOLLOW) == 0)
            return gs_fail(err, GS_ERR_USAGE, 0,
                           "%s: rank %d would write to the same file there as rank %d: with "
                           "--local, each needs its own",
                           output, cluster->rank, i);
    return GS_OK;
}

/* Outputs of the same name: nothing tells as surely whether they are in one directory, whatever its
 * names and file system, as a file in there that all ranks may look for. */
static enum gs_status try_places(const struct gs_cluster *cluster, const char *output,
                                 const struct gs_target *target, struct place *places,
                                 struct gs_error *err)
{
    enum gs_status st;
    struct gs_tempfile temp;
    struct place *own = &places[cluster->rank];
    st = gs_tempfile_create_named(&temp, target, output, err);
    memcpy(own->temporary, temp.name, sizeof own->temporary);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    const struct place sent = *own;
    GS_TRY(gs_cluster_gather(&sent, sizeof sent, places, err));
    st = compare_places(cluster, output, target, places, err);
    st = gs_cluster_agree(cluster, st, err);
cleanup:
    gs_tempfile_discard(&temp, target);
    return st;
}

static enum gs_status check_outputs(const struct gs_cluster *cluster, const char *output,
                                    struct place *places, struct gs_error *err)
{
    struct gs_target target;
    struct place own;
    enum gs_status st = gs_target_find(&target, output, err);
    memset(&own, 0, sizeof own);
    if (st == GS_OK && target.kind == GS_TARGET_OPENED) {
        close(target.fd);
        st = gs_fail(err, GS_ERR_OUTPUT, 0, "%s: not a regular file", output);
    }
    if (st == GS_OK)
        strncpy(own.base, target.base, NAME_MAX);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    GS_TRY(gs_cluster_gather(&own, sizeof own, places, err));
    if (has_namesake(cluster, places))
        st = try_places(cluster, output, &target, places, err);
cleanup:
    gs_target_release(&target);
    return st;
}

enum gs_status gs_local_files_check(const struct gs_cluster *cluster,
                                    const struct gs_command *command, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const size_t count = command->file_count;
    const size_t ranks = (size_t)cluster->size;
    struct gs_sight *own = calloc(count, sizeof *own);
    struct gs_sight *sights = calloc(ranks * count, sizeof *sights);
    struct place *places = calloc(ranks, sizeof *places);
    if (own == NULL || sights == NULL || places == NULL)
        st = gs_fail(err, GS_ERR_MEMORY, ENOMEM, "ranks");
    st = gs_cluster_agree(cluster, st, err);
    if (st != GS_OK || own == NULL || sights == NULL || places == NULL)
        goto cleanup;
    for (size_t i = 0; i < count; i++)
        own[i] = gs_sight_of(cluster, command->files[i]);
    GS_TRY(gs_cluster_gather(own, count * sizeof *own, sights, err));
    st = compare_inputs(cluster, command, sights, err);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    st = check_outputs(cluster, command->task.output, places, err);
cleanup:
    free(own);
    free(sights);
    free(places);
    return st;
}
