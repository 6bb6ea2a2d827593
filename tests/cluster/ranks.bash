# ranks.bash -- loaded by the tests of several ranks: mpirun, of Open MPI or of MPICH
# SPDX-License-Identifier: MIT
#
# GSORT_MPI is the program, MPIRUN its library's own launcher; without them the tests are skipped.

load ../helper

# What Open MPI needs in containers, as root and with fewer processors than ranks; MPICH ignores it.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_hwloc_base_binding_policy=none
MPIRUN=${MPIRUN:-mpirun}
case $("$MPIRUN" --version 2>/dev/null) in
*HYDRA*) MPI=mpich ;;
*) MPI=openmpi ;;
esac
export MPI

# enter_ranks: as enter_directory; skip the test where there are no ranks.
enter_ranks()
{
    [ -n "${GSORT_MPI:-}" ] || skip "built without MPI=1"
    require "$MPIRUN"
    enter_directory
    unset "${!PMI_@}" "${!PMIX_@}" "${!SLURM_@}"
    "$MPIRUN" -n 2 true 2>/dev/null || skip "$MPIRUN does not run here"
}

# ranks N ARG...: gsort by N ranks, which sort apart, as on several hosts.
ranks()
{
    ranks_of_host "$1" --apart "${@:2}"
}

# ranks_of_host N ARG...: the same, of which rank 0 sorts for all.
ranks_of_host()
{
    timeout --foreground 120 "$MPIRUN" -n "$1" "$GSORT_MPI" \
        ${GSORT_DEVICE:+"--device=$GSORT_DEVICE"} "${@:2}"
}

# assert_one_line WORD...: exit status 2 and, in $stderr, one line of gsort's own with these words.
assert_one_line()
{
    local word
    [ "$status" -eq 2 ]
    [ "$(grep -c '^gsort-mpi: ' <<<"$stderr")" -eq 1 ]
    for word; do
        grep '^gsort-mpi: ' <<<"$stderr" | grep -qF -e "$word"
    done
}

# assert_full SIZE WORD COMMAND...: COMMAND fails in one line with WORD where ./small is a file
# system of SIZE, and leaves nothing there; skip the test where none can be mounted.
assert_full()
{
    local left
    mkdir small
    mount -t tmpfs -o "size=$1" tmpfs small 2>/dev/null || skip "no tmpfs can be mounted here"
    run --separate-stderr "${@:3}"
    left=$(ls -A small)
    umount small
    assert_one_line "$2"
    [ -z "$left" ]
}
