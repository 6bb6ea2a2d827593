/* table.h -- records between other things in a file: FITS binary tables, LAS points, HDF5 datasets.
 * SPDX-License-Identifier: MIT
 *
 * What is in front of the records and behind them stays as it is, so their count stays, too. A
 * file's table is described as a .npy file is: where records begin, how many there are, their
 * fields.
 */
#ifndef GS_TABLE_H
#define GS_TABLE_H

#include "common/formats/npy.h"

/* Bytes that tell what a file is, and those that may be in front of the records, at most. */
#define GS_TABLE_MAGIC_BYTES 30
#define GS_TABLE_HEAD_MAX    ((uint64_t)64 << 20)

/* Does a file begin as a FITS file, or a LAS one? */
bool gs_fits_is(const void *bytes, size_t size);
bool gs_las_is(const void *bytes, size_t size);

/* Parse what is in front of the records. If `size` bytes do not suffice, *needed is more than that:
 * parse again with those. Free the table after a success with all that is needed. Errors are
 * GS_ERR_INPUT. */
enum gs_status gs_fits_parse(struct gs_npy *table, const void *bytes, size_t size, uint64_t *needed,
                             const char *name, struct gs_error *err);
enum gs_status gs_las_parse(struct gs_npy *table, const void *bytes, size_t size, uint64_t *needed,
                            const char *name, struct gs_error *err);

/* What an HDF5 file begins with, and what is said where it is not sorted as such. */
#define GS_HDF5_MAGIC  "\x89HDF\r\n\x1a\n"
#define GS_HDF5_ADVICE "a gsort of make HDF5=1 sorts the dataset of a file that is named"

/* Find the dataset of an HDF5 file by libhdf5, which opens the file itself; the records begin
 * behind *needed bytes. Else as above. */
enum gs_status gs_hdf5_find(struct gs_npy *table, uint64_t *needed, const char *name,
                            struct gs_error *err);

#endif
