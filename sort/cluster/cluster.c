/* cluster.c -- join the ranks of a job, agree with them, leave.
 * SPDX-License-Identifier: MIT
 *
 * MPI launches, and carries the bytes. Errors come back to the caller (MPI_ERRORS_RETURN), so that
 * a rank still removes what it has made when another one is gone.
 */
#include "sort/cluster.h"

#include "sort/cluster/wire.h"

#include <stdbool.h>
#include <time.h>

/* After so many attempts in vain, sleep between them, longer after each. A short sleep takes 50 us
 * anyway, the slack of timers; one of 50 us takes twice as long. */
#define SPINS        256
#define SLEEP_NS     1000
#define SLEEP_NS_MAX 1000000

static bool broken; /* a call of MPI has failed: another rank is gone, in all likelihood */

enum gs_status gs_wire_check(int result, struct gs_error *err)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (result == MPI_SUCCESS)
        return GS_OK;
    broken = true;
    MPI_Error_string(result, text, &length);
    return gs_fail(err, GS_ERR_INTERNAL, 0, "MPI: %s", text);
}

void gs_wire_nap(unsigned *attempts)
{
    if (++*attempts <= SPINS)
        return;
    const uint64_t ns = (uint64_t)(*attempts - SPINS) * SLEEP_NS;
    const struct timespec nap = {.tv_nsec = ns < SLEEP_NS_MAX ? (long)ns : SLEEP_NS_MAX};
    nanosleep(&nap, NULL);
}

/* NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): tested until it is complete */
enum gs_status gs_wire_reduce(void *values, int count, MPI_Datatype type, MPI_Op op,
                              struct gs_error *err)
{
    enum gs_status st = GS_OK;
    MPI_Request request;
    unsigned attempts = 0;
    int done = 0;
    GS_MPI(MPI_Iallreduce(MPI_IN_PLACE, values, count, type, op, MPI_COMM_WORLD, &request));
    while (!done) {
        GS_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
        if (!done)
            gs_wire_nap(&attempts);
    }
cleanup:
    return st;
}
/* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker) */

const char *gs_cluster_library(void)
{
#ifdef OPEN_MPI
    return "Open MPI";
#else
    return "MPICH or a relative of it";
#endif
}

enum gs_status gs_cluster_start(struct gs_cluster *cluster, struct gs_error *err)
{
    enum gs_status st;
    int provided;
    MPI_Comm machine;
    GS_MPI(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided));
    if (provided < MPI_THREAD_FUNNELED)
        return gs_fail(err, GS_ERR_USAGE, 0, "MPI: this library takes no process with threads");
    GS_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    GS_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &cluster->rank));
    GS_MPI(MPI_Comm_size(MPI_COMM_WORLD, &cluster->size));
    GS_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine));
    GS_MPI(MPI_Comm_rank(machine, &cluster->local_rank));
    GS_MPI(MPI_Comm_size(machine, &cluster->local_size));
    cluster->host = cluster->rank; /* ranks of a machine are in the order of all */
    GS_MPI(MPI_Bcast(&cluster->host, 1, MPI_INT, 0, machine));
    GS_MPI(MPI_Comm_free(&machine));
cleanup:
    return st;
}

void gs_cluster_end(void)
{
    int begun = 0;
    int ended = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (!begun || ended)
        return;
    if (broken)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Finalize();
}

enum gs_status gs_cluster_agree(const struct gs_cluster *cluster, enum gs_status st,
                                struct gs_error *err)
{
    /* The first rank that can say what went wrong; others may know only that something did. */
    enum gs_status own = st;
    int none = 2 * cluster->size;
    int first = none;
    if (st != GS_OK)
        first = err->status != GS_OK ? cluster->rank : cluster->size + cluster->rank;
    if (broken)
        return own;
    GS_TRY(gs_wire_reduce(&first, 1, MPI_INT, MPI_MIN, err));
    if (first == none)
        return GS_OK;
    GS_MPI(MPI_Bcast(err, (int)sizeof *err, MPI_BYTE, first % cluster->size, MPI_COMM_WORLD));
    st = err->status != GS_OK ? err->status : gs_fail(err, GS_ERR_INTERNAL, 0, "a rank has failed");
cleanup:
    return st;
}

enum gs_status gs_cluster_share(void *bytes, size_t size, struct gs_error *err)
{
    return gs_wire_check(MPI_Bcast(bytes, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD), err);
}

enum gs_status gs_cluster_gather(const void *own, size_t size, void *all, struct gs_error *err)
{
    return gs_wire_check(
        MPI_Allgather(own, (int)size, MPI_BYTE, all, (int)size, MPI_BYTE, MPI_COMM_WORLD), err);
}
