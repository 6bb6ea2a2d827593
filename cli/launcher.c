/* launcher.c -- is this process one of several that a launcher of parallel jobs has started?
 * SPDX-License-Identifier: MIT
 */
#include "cli/launcher.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Variables with the number of processes: of Open MPI, of MPICH and its relatives, of a step that
 * srun has started. (SLURM_NTASKS will not do: batch scripts have it, too, and each runs once.) */
static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};

/* Another launcher by way of PMIx gives a rank, and the size only to those who ask by its library.
 */
static const char rank[] = "PMIX_RANK";

/* Variables with the rank, of the same. */
static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                    "SLURM_PROCID"};

enum gs_status gs_launcher_refuse(const char *variable, struct gs_error *err)
{
    return gs_fail(err, GS_ERR_USAGE, 0,
                   "%s=%s: started once for each process of a parallel job, but this build sorts "
                   "with one: use gsort-mpi (make MPI=1), start it once, or unset %s if each has "
                   "files of its own",
                   variable, getenv(variable), variable);
}

const char *gs_launcher_variable(void)
{
    bool known = false;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *value = getenv(sizes[i]);
        if (value != NULL && strtol(value, NULL, 10) > 1)
            return sizes[i];
        known = known || value != NULL;
    }
    return getenv(rank) == NULL || known ? NULL : rank;
}

int gs_launcher_rank(void)
{
    const char *value = NULL;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks && value == NULL; i++)
        value = getenv(ranks[i]);
    long number = value != NULL && gs_launcher_variable() != NULL ? strtol(value, NULL, 10) : 0;
    return number > 0 && number < INT_MAX ? (int)number : 0;
}
