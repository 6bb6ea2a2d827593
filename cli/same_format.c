/* same_format.c -- do all ranks take their files for arrays of the same?
 * SPDX-License-Identifier: MIT
 */
#include "cli/same_format.h"

#include "cli/npy_files.h"

#include <string.h>

enum gs_status gs_same_format(const struct gs_cluster *cluster, const struct gs_command *command,
                              struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const char *name = command->file_count > 0 ? command->files[0] : "-";
    const bool npy = command->npy != NULL;
    bool first_npy = npy;
    char own[GS_FORMAT_TEXT];
    char first[GS_FORMAT_TEXT];
    gs_format_name(&command->format, own);
    gs_format_name(&command->format, first);
    GS_TRY(gs_cluster_share(&first_npy, sizeof first_npy, err));
    GS_TRY(gs_cluster_share(first, sizeof first, err));
    if (npy != first_npy)
        st = gs_fail(err, GS_ERR_INPUT, 0, "%s: %s .npy file, but on rank 0 it is %s", name,
                     npy ? "a" : "no", npy ? "none" : "one");
    else if (strcmp(own, first) != 0)
        st = gs_fail(err, GS_ERR_INPUT, 0, "%s: an array of %s, but on rank 0 of %s", name, own,
                     first);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    st = gs_npy_files_compare(command->npy, name, err);
    st = gs_cluster_agree(cluster, st, err);
cleanup:
    return st;
}
