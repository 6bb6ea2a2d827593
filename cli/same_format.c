/* same_format.c -- do all ranks take their files for arrays of the same?
 * SPDX-License-Identifier: MIT
 */
#include "cli/same_format.h"

#include <string.h>

/* Have all ranks' .npy files, or none of them, records of the same type? */
static enum gs_status compare_types(const struct gs_npy_files *npy, const char *name,
                                    struct gs_error *err)
{
    enum gs_status st = GS_OK;
    char part[256];
    const uint32_t own = npy != NULL ? npy->head.type.text_bytes : 0;
    uint32_t bytes = own;
    GS_TRY(gs_cluster_share(&bytes, sizeof bytes, err));
    bool same = bytes == own;
    for (uint32_t at = 0; at < bytes; at += sizeof part) {
        const char *here = npy != NULL && at < own ? npy->head.type.text + at : part;
        const size_t size = at >= own ? 0 : own - at < sizeof part ? own - at : sizeof part;
        memset(part, 0, sizeof part);
        memcpy(part, here, size);
        GS_TRY(gs_cluster_share(part, sizeof part, err));
        same = same && memcmp(part, here, size) == 0;
    }
    if (!same)
        st = gs_fail(err, GS_ERR_INPUT, 0, "%s: its records are not those of rank 0's files", name);
cleanup:
    return st;
}

enum gs_status gs_same_format(const struct gs_cluster *cluster, const struct gs_command *command,
                              struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const char *name = command->file_count > 0 ? command->files[0] : "-";
    const bool npy = command->task.found.npy != NULL;
    bool first_npy = npy;
    char own[GS_FORMAT_TEXT];
    char first[GS_FORMAT_TEXT];
    gs_format_name(&command->task.found.format, own);
    gs_format_name(&command->task.found.format, first);
    GS_TRY(gs_cluster_share(&first_npy, sizeof first_npy, err));
    GS_TRY(gs_cluster_share(first, sizeof first, err));
    if (npy != first_npy)
        st = gs_fail(err, GS_ERR_INPUT, 0, "%s: %s .npy file, but on rank 0 it is %s", name,
                     npy ? "a" : "no", npy ? "none" : "one");
    else if (strcmp(own, first) != 0)
        st = gs_fail(err, GS_ERR_INPUT, 0, "%s: an array of %s, but on rank 0 of %s", name, own,
                     first);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    st = compare_types(command->task.found.npy, name, err);
    st = gs_cluster_agree(cluster, st, err);
cleanup:
    return st;
}
