# ranks.bash -- loaded by the tests of several ranks: mpirun, of Open MPI or of MPICH
# SPDX-License-Identifier: MIT
#
# GSORT_MPI is the program, MPIRUN its library's own launcher; without them the tests are skipped.

load ../helper

# What Open MPI needs in containers, as root and with fewer processors than ranks; MPICH ignores it.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_hwloc_base_binding_policy=none
# Under ASan: the libraries end with memory that they have not given back.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}
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

# end_at_once: where ranks fail in good order, Open MPI's mpirun need not give them a second more.
end_at_once()
{
    export OMPI_MCA_odls_base_sigkill_timeout=0
}

# two_lines FIRST... : LAST...: gsort by three ranks, of which the last has another command line.
two_lines()
{
    local -a first=()
    while [ "$1" != : ]; do
        first+=("$1")
        shift
    done
    timeout --foreground 120 "$MPIRUN" -n 2 "$GSORT_MPI" "${first[@]}" : \
        -n 1 "$GSORT_MPI" "${@:2}"
}

# each_in_its_place PROGRAM: make ./each, by which each rank runs it in the directory rank-N, if
# there is one. To be used as GSORT_MPI.
each_in_its_place()
{
    cat >each <<END
#!/bin/sh
cd "$PWD/rank-\${OMPI_COMM_WORLD_RANK:-\$PMI_RANK}" 2>/dev/null
exec "$1" "\$@"
END
    chmod +x each
}

# hosts N ARG...: gsort as if by N hosts, with RANKS_PER_HOST (default 1) on each.
hosts()
{
    cat >agent <<END
#!/bin/bash
while [[ \$1 == -* ]]; do
    shift
done
mkdir -p "$BATS_TEST_TMPDIR/\$1"
export OMPI_MCA_orte_tmpdir_base=$BATS_TEST_TMPDIR/\$1
shift
eval "exec \$*"
END
    chmod +x agent
    local each=${RANKS_PER_HOST:-1} list='' i
    for ((i = 1; i <= $1; i++)); do
        list+=${list:+,}host-$i:$each
    done
    # Their names for shared memory would be the same.
    local -a how=(--host "$list" --mca plm_rsh_agent "$PWD/agent" --mca btl 'tcp,self')
    [ "$MPI" = openmpi ] || how=(-hosts "$list" -launcher ssh -launcher-exec "$PWD/agent")
    timeout --foreground 120 "$MPIRUN" "${how[@]}" -n $(($1 * each)) "$GSORT_MPI" \
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
