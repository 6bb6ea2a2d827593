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

/* After an attempt in vain, number *attempts, which this counts: sleep if there were many, for
 * another rank may need the processor. */
void gs_wire_nap(unsigned *attempts);

/* Reduce `count` values of all ranks to all. A rank may come long before another: so it sleeps,
 * where MPI_Allreduce would spin. */
enum gs_status gs_wire_reduce(void *values, int count, MPI_Datatype type, MPI_Op op,
                              struct gs_error *err);

#define GS_MPI(call) GS_TRY(gs_wire_check(call, err))

#endif
