# torture_ranks.bash -- sorts by several ranks, some of which have another command line
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154  # sourced by torture.sh, whose variables these are
#
# Where GSORT_MPI is set: that is the program, and MPIRUN its library's launcher (mpirun).

[ -z "${GSORT_MPI:-}" ] || GSORT_MPI=$(realpath "$GSORT_MPI")
MPIRUN=${MPIRUN:-mpirun}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_hwloc_base_binding_policy=none

# What MPICH's mpirun passes on of standard input; Open MPI's passes all.
stdin_most=60000
[[ $("$MPIRUN" --version 2>/dev/null) == *HYDRA* ]] || stdin_most=$((1 << 40))

# Make some of the runs that have no fault such sorts. ranks: how many, 0: none; way: how they work;
# odd: an argument that the last one has more than the others.
draw_ranks()
{
    local option
    ranks=0 way='' odd=''
    [ -n "${GSORT_MPI:-}" ] && [ "$may_fail${resumes:-0}$npy_type" = 00 ] && chance 20 || return 0
    [[ ! ${reference_options[*]} =~ --(argsort|count|repeated|single) ]] || return 0
    ranks=$((1 + RANDOM % 4))
    one_of --apart --apart --local --verify
    way=$REPLY
    for option in "${!options[@]}"; do
        case ${options[option]} in
        -m | --engine=* | --lists=*) unset "options[$option]" ;;
        esac
    done
    case $output in
    pipe | redirect) output=new ;;
    esac
    [ "$way" != --local ] || input=names output=new
    if [ "$input" != names ] && [ "$(cat "${files[@]}" | wc -c)" -gt "$stdin_most" ]; then
        input=names
    fi
    if [ "$ranks" -gt 1 ] && chance 15; then
        one_of -r -s -u --verify --plan --help -C -m --stats --skip=4 --apart -S1G in0
        odd=$REPLY may_fail=1
    fi
    return 0
}

# Give each rank a part of the records: ../parts/in-N.
split_among_ranks()
{
    local bytes=4 i size cut=0 next
    for i in "${!reference_options[@]}"; do
        [ "${reference_options[i]}" != -R ] || bytes=${reference_options[i + 1]}
    done
    rm -rf ../parts && mkdir ../parts && cat "${files[@]}" >../parts/all
    size=$(($(stat -c %s ../parts/all) / bytes))
    for ((i = 0; i < ranks; i++)); do
        next=$((i + 1 < ranks ? cut + (RANDOM << 15 | RANDOM) % (size - cut + 1) : size))
        tail -c +$((cut * bytes + 1)) ../parts/all |
            head -c $(((next - cut) * bytes)) >../parts/in-$i
        cut=$next
    done
}

# Make the run: set `status`, and leave what the ranks themselves say in ../err.
run_ranks()
{
    local -a line=("$way" "${options[@]}" -o out) command=(timeout -k 5 300 "$MPIRUN")
    [ "$output" != old ] || echo old >out
    [ "$output" != in-place ] || { cp in0 out && files[0]=out; }
    case $way:$input in
    --local:*)
        split_among_ranks
        line=("$way" "${options[@]}" -o ../parts/out-%r ../parts/in-%r)
        ;;
    *:names) line+=("${files[@]}") ;;
    *:file) line+=(- "${files[@]:1}") ;;
    esac
    command+=(-n $((ranks - (${#odd} > 0))) "$GSORT_MPI" "${line[@]}")
    [ -z "$odd" ] || command+=(: -n 1 "$GSORT_MPI" "${line[@]}" "$odd")
    case $input in
    pipe) cat "${files[@]}" | "${command[@]}" >../said 2>&1 ;;
    file) "${command[@]}" <"${files[0]}" >../said 2>&1 ;;
    *) "${command[@]}" </dev/null >../said 2>&1 ;;
    esac
    status=${PIPESTATUS[-1]}
    [ -z "$odd" ] || [ "$status" -ne 0 ] || status=99
    grep '^gsort-mpi: ' ../said >../err
    [ "$way:$status" != --local:0 ] || cat ../parts/out-? >out
}
