/* npy_type.h -- the type of a .npy file's records: what 'descr' in its header says.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_NPY_TYPE_H
#define GS_NPY_TYPE_H

#include "common/npy.h"
#include "common/npy_literal.h"

/* Read npy->record_bytes, structured, fields and dtype; names point into the strings of `literals`.
 * What was allocated is freed with npy, even after a failure. */
enum gs_status gs_npy_type_read(struct gs_npy *npy, const struct gs_literals *literals,
                                uint32_t descr, const char *name, struct gs_error *err);

#endif
