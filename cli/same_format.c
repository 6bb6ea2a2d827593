/* same_format.c -- do all ranks take their files for arrays of the same?
 * SPDX-License-Identifier: MIT
 */
#include "cli/same_format.h"

#include "cli/npy_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Compare the header of this rank's .npy files, if it has such, with that of rank 0's. */
static enum gs_status check_header(const struct gs_cluster *cluster,
                                   const struct gs_command *command, struct gs_error *err)
{
    enum gs_status st;
    const struct gs_npy_files *npy = command->npy;
    uint32_t size = npy != NULL ? npy->head.header_bytes : 0;
    unsigned char *first = NULL;
    GS_TRY(gs_cluster_share(&size, sizeof size, err));
    if (size > 0)
        first = malloc(size);
    st = size > 0 && first == NULL ? gs_fail(err, GS_ERR_MEMORY, errno, "header") : GS_OK;
    GS_TRY(gs_cluster_agree(cluster, st, err));
    if (first != NULL && npy != NULL && cluster->rank == 0)
        memcpy(first, npy->bytes, size);
    if (first != NULL)
        GS_TRY(gs_cluster_share(first, size, err));
    if ((npy != NULL) != (first != NULL))
        st = gs_fail(err, GS_ERR_INPUT, 0, "%s: %s .npy file, but on rank 0 it is %s",
                     command->file_count > 0 ? command->files[0] : "-", npy != NULL ? "a" : "no",
                     npy != NULL ? "none" : "one");
    else if (npy != NULL)
        st = gs_npy_files_compare(npy, first, size, err);
cleanup:
    free(first);
    return st;
}

enum gs_status gs_same_format(const struct gs_cluster *cluster, const struct gs_command *command,
                              struct gs_error *err)
{
    enum gs_status st;
    char own[GS_FORMAT_TEXT];
    char first[GS_FORMAT_TEXT];
    gs_format_name(&command->format, own);
    gs_format_name(&command->format, first);
    GS_TRY(gs_cluster_share(first, sizeof first, err));
    st = check_header(cluster, command, err);
    if (st == GS_OK && strcmp(own, first) != 0)
        st = gs_fail(err, GS_ERR_INPUT, 0, "%s: an array of %s, but on rank 0 of %s",
                     command->file_count > 0 ? command->files[0] : "-", own, first);
    st = gs_cluster_agree(cluster, st, err);
cleanup:
    return st;
}
