/* npy_files.h -- inputs that are .npy files, which say themselves what they hold.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_NPY_FILES_H
#define GS_NPY_FILES_H

#include "common/npy.h"

struct gs_npy_files {
    struct gs_npy head;                     /* of the first file, and of the output, */
    unsigned char bytes[GS_NPY_HEADER_MAX]; /* and its bytes */
    uint64_t count;                         /* records in all files */
};

/* If the first of the inputs (there is at least one) is a regular file that begins as a .npy file
 * does: make *npy and *skips, the bytes in front of each file's records, and set *format, with the
 * keys that -k names. All inputs must then be .npy files of the same records. Else *npy is NULL.
 * A file that cannot be read is left for later to report. Free both, even after a failure. */
enum gs_status gs_npy_files_find(const char *const *names, size_t count,
                                 const struct gs_format_options *options, struct gs_npy_files **npy,
                                 uint64_t **skips, struct gs_format *format, struct gs_error *err);

#endif
