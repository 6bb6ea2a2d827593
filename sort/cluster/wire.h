/* wire.h -- calls of MPI that report as all others do.
 * SPDX-License-Identifier: MIT
 *
 * The only header that includes mpi.h. MPI is called by the thread that has started it.
 */
#ifndef GS_WIRE_H
#define GS_WIRE_H

#include "common/status.h"

#include <mpi.h>

/* Turn a result of MPI into a status. After a failure the ranks can agree on nothing more, and
 * gs_cluster_end ends them all. */
enum gs_status gs_wire_check(int result, struct gs_error *err);

#define GS_MPI(call) GS_TRY(gs_wire_check(call, err))

#endif
