/* hdf5_absent.c -- stands in where the program is built without HDF5.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/table.h"

enum gs_status gs_hdf5_find(struct gs_npy *table, uint64_t *needed, const char *name,
                            struct gs_error *err)
{
    (void)table;
    *needed = 0;
    return gs_fail(err, GS_ERR_INPUT, 0,
                   "%s: looks like an HDF5 file, not plain keys: %s; "
                   "--format=raw insists",
                   name, GS_HDF5_ADVICE);
}
