/* one_host.c -- ranks that are all on one host: the first sorts for all.
 * SPDX-License-Identifier: MIT
 *
 * Records that go from rank to rank through messages cost more than all the rest of a sort (2 GiB,
 * 2 cores: one process 1.6 s, four ranks 6.0; tests/bench/CLUSTER.md), and on one host all of them
 * are in reach of one process. Launchers give each rank processors of its own: rank 0 takes them
 * together, since the others have nothing to do.
 */
#include "cli/one_host.h"

#include "cli/modes.h"
#include "common/memory/processors.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

bool gs_is_one_host(const struct gs_cluster *cluster, const struct gs_command *command)
{
    return cluster->local_size == cluster->size && !command->local && !command->apart;
}

/* Let rank 0 run wherever any rank may. If the kernel forbids it, or has more processors than a set
 * holds, it goes on with its own. */
static enum gs_status take_processors(const struct gs_cluster *cluster, struct gs_error *err)
{
    enum gs_status st;
    cpu_set_t own;
    cpu_set_t *sets = calloc((size_t)cluster->size, sizeof *sets);
    st = sets == NULL ? gs_fail(err, GS_ERR_MEMORY, ENOMEM, "ranks") : GS_OK;
    st = gs_cluster_agree(cluster, st, err);
    if (st != GS_OK || sets == NULL)
        goto cleanup;
    if (sched_getaffinity(0, sizeof own, &own) != 0)
        CPU_ZERO(&own);
    GS_TRY(gs_cluster_gather(&own, sizeof own, sets, err));
    for (int i = 1; i < cluster->size; i++)
        CPU_OR(&sets[0], &sets[0], &sets[i]);
    if (cluster->rank == 0 && sched_setaffinity(0, sizeof *sets, sets) == 0)
        gs_processors_count();
cleanup:
    free(sets);
    return st;
}

/* With --parallel=N: N threads of each rank, as far as there are processors for them. */
static unsigned add_threads(unsigned threads, unsigned ranks)
{
    const unsigned most = gs_processors() > threads ? gs_processors() : threads;
    return (uint64_t)threads * ranks < most ? threads * ranks : most;
}

/* Rank 0 asks the others before it publishes, and they wait for that: are all still there? What a
 * waiting rank brings to the first agreement it may have sent long ago, and died; not to the second
 * one. */
static enum gs_status vote(const void *cluster, struct gs_error *err)
{
    enum gs_status st = gs_cluster_agree(cluster, GS_OK, err);
    return st == GS_OK ? gs_cluster_agree(cluster, GS_OK, err) : st;
}

enum gs_status gs_one_host_sort(const struct gs_cluster *cluster, struct gs_command *command,
                                struct gs_progress *progress, uint64_t start_ns,
                                struct gs_error *err)
{
    enum gs_status st;
    const unsigned ranks = (unsigned)cluster->size;
    GS_TRY(take_processors(cluster, err));
    if (cluster->rank > 0) {
        GS_TRY(vote(cluster, err));
    } else {
        if (command->task.memory_limit <= UINT64_MAX / ranks)
            command->task.memory_limit *= ranks;
        if (command->task.sort.threads != 0)
            command->task.sort.threads = add_threads(command->task.sort.threads, ranks);
        gs_limit_threads(&command->task);
        command->task.hooks.consent = vote;
        command->task.hooks.consent_context = cluster;
        st = gs_mode_sort(command, progress, start_ns, err);
    }
    /* The vote, if rank 0 has failed before it; else whether it could publish. */
    st = gs_cluster_agree(cluster, st, err);
cleanup:
    return st;
}
