/* table_files.h -- an input that is a FITS, LAS or HDF5 file: one, by its name, into another file.
 * SPDX-License-Identifier: MIT
 *
 * It is treated as a .npy file is, but that its records do not become fewer, and that what follows
 * them is copied behind the output's.
 */
#ifndef GS_TABLE_FILES_H
#define GS_TABLE_FILES_H

#include "common/files/input.h"
#include "common/files/output.h"
#include "common/formats/table.h"
#include "sort/files/task.h"

/* If the file is one, and the only input: make what is found of .npy files, skips, and the format,
 * as gs_npy_files_find does. Else nothing is found; a file that cannot be read is left for later
 * to report, and so is a FITS or LAS file without a sound table, unless a column is named. */
enum gs_status gs_table_find(struct gs_task *task, struct gs_error *err);

/* The input is open: leave of it what is the table's. */
enum gs_status gs_table_follow(struct gs_npy_files *npy, struct gs_input *input,
                               struct gs_error *err);

/* Can this be done with a table, and the result be such an output? */
enum gs_status gs_table_check(const struct gs_task *task, const struct gs_output *output,
                              struct gs_error *err);

/* Copy what follows the records, to where they end. */
enum gs_status gs_table_write_tail(const struct gs_npy_files *npy, struct gs_output *output,
                                   struct gs_error *err);

#endif
