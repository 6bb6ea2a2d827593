/* npy_files.h -- inputs that are .npy files, which say themselves what they hold.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_NPY_FILES_H
#define GS_NPY_FILES_H

#include "common/npy.h"

struct gs_command;

struct gs_npy_files {
    struct gs_npy head;                     /* of the first file, and of the output, */
    unsigned char bytes[GS_NPY_HEADER_MAX]; /* and its bytes */
    uint64_t count;                         /* records in all files */
};

/* If the first input is a regular file that begins as a .npy file does: set command->npy, ->skips
 * and ->format, with the keys that -k names. All inputs must then be .npy files of the same
 * records. A file that cannot be read is left for later to report. */
enum gs_status gs_npy_files_find(struct gs_command *command,
                                 const struct gs_format_options *options, struct gs_error *err);

#endif
