# Started as one of several processes of a parallel job, gsort does not sort.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    unset "${!OMPI_@}" "${!PMI_@}" "${!PMIX_@}" "${!SLURM_@}"
    keygen uniform 1000 >in
    reference in >wanted
}

# refused VARIABLE=VALUE...: neither a sort nor a merge is done with these in the environment.
refused()
{
    run -2 --separate-stderr env "$@" "$GSORT" in -o out
    assert_trouble "${1%%=*}"
    run -2 --separate-stderr env "$@" "$GSORT" -m wanted
    assert_trouble "${1%%=*}"
    [ -z "$output" ]
    assert_only in wanted
}

# accepted [VARIABLE=VALUE...]: the sort is done.
accepted()
{
    env "$@" "$GSORT" in -o out
    assert_same wanted out
    rm out
}

@test "several processes of Open MPI, MPICH, SLURM and others are refused" {
    refused OMPI_COMM_WORLD_SIZE=4 PMIX_RANK=0
    refused PMI_SIZE=2 PMI_RANK=1
    refused SLURM_STEP_NUM_TASKS=16 SLURM_NTASKS=16 SLURM_PROCID=0 SLURM_STEP_ID=0
    refused PMIX_RANK=0
}

@test "one process is not, nor a batch script's own" {
    accepted
    accepted OMPI_COMM_WORLD_SIZE=1 PMIX_RANK=0
    accepted PMI_SIZE=1 PMI_RANK=0
    accepted SLURM_NTASKS=16 SLURM_PROCID=0 SLURM_JOB_ID=7
    accepted SLURM_NTASKS=16 SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=1 PMIX_RANK=0
    accepted PMI_SIZE= OMPI_COMM_WORLD_SIZE=many
}

@test "checks, --plan and --help write no file, and are done by each" {
    export OMPI_COMM_WORLD_SIZE=4
    "$GSORT" -C wanted
    run -1 "$GSORT" -C in
    "$GSORT" --plan in
    "$GSORT" --help
}

@test "mpirun itself" {
    require mpirun
    mpirun --allow-run-as-root --oversubscribe -n 2 true || skip "mpirun does not run here"
    run -2 mpirun --allow-run-as-root --oversubscribe -n 2 "$GSORT" in -o out
    [[ $output = *"gsort: OMPI_COMM_WORLD_SIZE=2: "* || $output = *"gsort: PMI_SIZE=2: "* ]]
    [ ! -e out ]
}
