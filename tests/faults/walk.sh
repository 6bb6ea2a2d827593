#!/bin/bash
# walk.sh -- make each of gsort's calls to the system fail, one after another, in every mode
# SPDX-License-Identifier: MIT
#
# usage: tests/faults/walk.sh GSORT SHIM KEYGEN REFERENCE [all|MODE...]     from make check-faults
#
# For each mode, kind of call and way to fail, the first call fails, in the next run the second, and
# so on until a run makes too few such calls. Then, as in a sandbox, each system call that the
# command makes is refused throughout, with each errno of sandboxes (kind "refused"; needs strace,
# and refuse.so beside SHIM). Each run must end, with status 0 and the right bytes,
# or with status 2, one line on standard error and the old output untouched, and leave no other file
# in the directory. A stream that broke off holds a prefix of the right bytes. Prints the faults
# injected, for each kind and in all. GSORT_FAULT_KINDS="pwrite malloc" limits the walk to these
# kinds, GSORT_FAULT_SOME=1 to the first two calls and ever fewer of those behind them. Where
# GSORT_MPI is set, there are modes of two ranks, too, by MPIRUN (mpirun): of one of them, what it
# calls itself fails. Exit status: 0 if all went well.
set -u -o pipefail
export LC_ALL=C

# NAME | what exists before a run | options for the reference | command
# before: new     nothing
#         old     ./out, with other bytes
#         self    ./out, which is the input
#         link    ./link to ./out, which is as with old
#         hole    ./link to a file that does not exist
#         named   as old, on a file system without O_TMPFILE
#         stream  ./stdout, a link to standard output; that goes to ./got, which after a failure
#                 may hold a part of the output
#         file    as stream, but after a failure ./got may hold anything
#         check   nothing; there is no output: status 0 and silence, 1 and a line, or 2 and a line
#         told    as old, but standard error may hold any number of lines
#         refused as old, but no run may succeed
#         written as old, while somebody overwrites the input: what it gives is in order
# Commands may put temporary files into ../tmp, which must be empty after each run.
modes()
{
    cat <<'EOF'
new             | new     |       | gsort ../in -o out
replace         | old     |       | gsort ../in -o out
in-place        | self    |       | gsort out -o out
link            | link    |       | gsort ../in -o link
dangling-link   | hole    |       | gsort ../in -o link
unique-reverse  | old     | -u -r | gsort -u -r ../in -o out
verify          | old     |       | gsort --verify ../in -o out
verify-unique   | old     | -u    | gsort --verify -u ../in -o out
sorted          | old     |       | gsort ../sorted -o out
sorted-reverse  | old     | -r    | gsort -r -u ../sorted -o out
few-keys        | old     |       | gsort ../few -o out
empty           | old     |       | gsort /dev/null -o out
stdin-file      | old     |       | gsort -o out <../in
stdin-pipe      | old     |       | cat ../in | gsort -o out
stdin-by-name   | old     |       | cat ../in | gsort /dev/stdin -o out
several         | old     |       | cat ../few | gsort ../in - ../sorted -o out
named-new       | named   |       | gsort ../in -o new
named-replace   | named   |       | gsort ../in -o out
named-pipe      | named   | -u    | cat ../in | gsort -u -o out
stdout-pipe     | stream  |       | gsort ../in | cat >got
pipes           | stream  | -r    | cat ../in | gsort -r | cat >got
verify-stdout   | stream  | -u    | gsort --verify -u ../in | cat >got
sorted-stdout   | stream  |       | gsort ../sorted | cat >got
fd-link         | stream  |       | gsort ../in -o stdout | cat >got
stdout-file     | file    |       | gsort ../in >got
append          | file    |       | gsort ../in >>got
onto-itself     | file    |       | cp ../in got; gsort got 1<>got
fd-link-file    | file    |       | gsort ../in -o stdout >got
check           | check   |       | gsort -c ../in
check-sorted    | check   |       | gsort -c ../sorted
check-pipe      | check   |       | cat ../sorted | gsort -c
stats           | told    |       | gsort --stats ../in -o out
stats-json      | told    |       | gsort --stats=json --verify ../in -o out
odd-size        | refused |       | head -c 4099 ../in | gsort -o out
external        | old     |       | gsort -S 256K -T ../tmp ../big -o out
external-pipe   | old     | -u    | cat ../big | gsort -u -S 256K -T ../tmp -o out
external-stdout | stream  |       | gsort -S 256K -T ../tmp --verify ../big | cat >got
external-named  | named   | -r    | gsort -r -S 256K -T ../tmp ../big -o out
resume          | told    |       | resume ../big 0
resumed         | told    |       | resume ../big 10
resumed-records | told    | -R 4 -s -k 0:u16 | resume ../big 100 -R 4 -s -k 0:u16
merge           | old     |       | gsort -m ../sorted ../more -o out
merge-pipe      | stream  | -u    | gsort -m -u ../sorted - <../more | cat >got
fsync           | old     |       | gsort --fsync ../in -o out
fsync-external  | old     |       | gsort --fsync -S 256K -T ../tmp -T . ../big -o out
merge-external  | old     | -r    | "$REFERENCE" -r ../big | gsort -m -r -S 256K -T ../tmp -o out
direct          | old     |       | gsort --direct --verify ../in -o out
direct-external | old     | -u    | gsort --direct -u -S 256K -T ../tmp ../many -o out
engine          | old     | -u    | gsort -u --engine=hybrid ../few -o out
progress        | told    |       | gsort --progress=always ../in -o out
records         | old     | -R 100 -k 0:b10 | gsort -R 100 -k 0:b10 --verify ../gray -o out
records-place   | self    | -R 4 -s -k 0:u16 | gsort -R 4 -s -k 0:u16 out -o out
records-pipe    | stream  | -R 100 -u -k 0:b2 | cat ../gray | gsort -R 100 -u -k 0:b2 | cat >got
records-spilled | old     | -R 100 | cat ../gray | gsort -R 100 -S 256K -T ../tmp -o out
records-merge   | old     | -R 100 -k 0:b2 | gsort -m -R 100 -k 0:b2 ../runs - -o out <../runs
written         | written |       | gsort ../in -o out
written-records | written | -R 100 -k 0:b2 | gsort -R 100 -k 0:b2 ../gray -o out
written-spilled | written | -R 8 -s -k 0:u16 | gsort -R 8 -s -k 0:u16 -S 1M -T ../tmp ../gray -o out
mapped          | old     |       | gsort --bins=100 ../large -o out
mapped-ahead    | named   | -r    | gsort --bins=100 -r --parallel=4 ../large -o out
given           | stream  |       | gsort --bins=100 ../large | cat >got
mapped-stdout   | file    |       | gsort --bins=100 ../large >got
EOF
    [ -z "${GSORT_MPI:-}" ] || cat <<'EOF'
ranks-one-host  | told    |       | ranks 0 ../in -o out
ranks-waiting   | told    |       | ranks 1 ../in -o out
ranks-first     | told    |       | ranks 0 --apart --verify ../in -o out
ranks-last      | told    | -u    | ranks 1 --apart -u ../in -o out
ranks-records   | told    | -R 100 -s -k 0:b2 | ranks 1 --apart -R 100 -s -k 0:b2 ../gray -o out
ranks-spilled   | told    | -r    | ranks 1 --apart -r -S 256K -T ../tmp ../big -o out
EOF
}

# KIND HOW...: errno numbers of Linux, or short; + means "and all later calls".
# EPERM 1, ENOENT 2, EINTR 4, EIO 5, EAGAIN 11, ENOMEM 12, EACCES 13, EFAULT 14, EEXIST 17,
# EINVAL 22, EMFILE 24, ENOSPC 28, ENOSYS 38, EOPNOTSUPP 95. unlink is left out: where it fails, a
# file must stay behind.
kinds()
{
    cat <<'EOF'
open 5 4 17 24+
stat 5
access 5
readlink 5
fcntl 24
seek 5
mmap 12 12+
madvise 22 14+
read 5 4 short short+
pread 5 4 short+
write 5 28+ 4 short short+
pwrite 5 22 28+ 4 short short+
length 5 4 28 95+
sync 5
mode 1
link 5 17 2+
rename 5 13
close 5 4
random 4 38+
malloc 12 12+
thread 11 11+
EOF
}

# What sandboxes refuse with: EPERM, EACCES, EINVAL, ENOSYS, EOPNOTSUPP, EIO; with the first call of
# each kind, too.
REFUSALS=${GSORT_REFUSALS:-1 13 22 38 95 5}

# Without these, nothing runs or ends. A failing brk returns the old end, no errno; rseq would have
# to be refused before main(), as the C library expects; and unlink is left out as above,
# as is rmdir.
CALLS_NEEDED='execve|exit|exit_group|rt_sigreturn|restart_syscall|futex|brk|rseq|unlink|unlinkat'
CALLS_NEEDED+='|rmdir'

SECONDS_MAX=120
TRACER=()

gsort()
{
    timeout -k 5 "$SECONDS_MAX" "${TRACER[@]}" env LD_PRELOAD="$SHIM" "$GSORT" --device=cpu \
        --parallel=2 "$@" 2>../err
}

# ranks N ARG...: by two ranks, of which rank N has the faults. MPI's libraries must not put hooks
# of theirs before mmap and madvise.
ranks()
{
    local -x UCX_MEM_EVENTS=n UCX_MEM_MMAP_HOOK_MODE=none OMPI_MCA_memory=^patcher
    # shellcheck disable=SC2016  # for the other shell
    GSORT_FAULT_OWN=1 timeout -k 5 "$SECONDS_MAX" "${MPIRUN:-mpirun}" -n 2 bash -c '
        [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != "$0" ] || export LD_PRELOAD=$SHIM
        exec "$GSORT_MPI" --device=cpu --parallel=2 "$@"' "$@" </dev/null 2>../err
}

# resume FILE WRITES [ARG...]: sort the file; after any fault, the same without one ends well. If
# WRITES is not 0, an earlier run has met a full disk at that one.
resume()
{
    local -a args=(--resume -S 256K -T ../tmp "$1" -o out "${@:3}")
    [ "$2" = 0 ] || GSORT_FAULT="pwrite 28+ $2" GSORT_FAULT_MARK=../full gsort "${args[@]}"
    gsort "${args[@]}" || "$GSORT" "${args[@]}" 2>../err || return 9
}

# Fill the directory with what exists before a run.
prepare()
{
    rm -rf ./* .gsort-*
    unset GSORT_FAULT_NAMED
    case $before in
    new | check) ;;
    stream | file) ln -s /proc/self/fd/1 stdout ;; # like /dev/stdout, which a bug must not replace
    hole) ln -s out link ;;
    self) cp ../in out ;;
    *) echo old >out ;;&
    link) ln -s out link ;;
    named) export GSORT_FAULT_NAMED=1 ;;
    esac
    [ ! -e out ] || cp out ../out.old
}

bad()
{
    echo "$name, $kind $how $k: $*; standard error: $(cat ../err)"
    echo bad >>../tally
}

# Are these the right bytes? Of an input that is written meanwhile: as many as it has, in order.
is_right()
{
    if [ "$before" != written ]; then
        cmp -s "$1" ../wanted
        return
    fi
    # shellcheck disable=SC2086  # options are words
    [ "$(stat -c %s "$1")" = "$(stat -c %s ../wanted)" ] &&
        "$REFERENCE" $options "$1" | cmp -s - "$1"
}

# Overwrite a file with other keys and its own in turns, until its directory is gone.
keep_writing()
{
    local from
    cp "$1" ../same && "$KEYGEN" zipf $(($(stat -c %s "$1") / 4)) >../other
    while :; do
        for from in ../other ../same; do
            dd if="$from" of="$1" bs=64k conv=notrunc,nocreat status=none || return 0
        done
    done 2>/dev/null
}

# Report what is wrong with the state that a run with this status left.
judge()
{
    local status=$1 result=out file lines
    # How mpirun ends where a rank has failed is its own affair, but it must not hang.
    [[ $name != ranks-* || $status = 0 || $status = 124 || $status = 137 ]] || status=2
    case $before in
    stream | file) result=got ;;
    named) [ "$name" != named-new ] || result=new ;;
    esac
    for file in * .gsort-*; do
        case $file in
        out | got | link | stdout | new | '*' | '.gsort-*') ;;
        *) bad "status $status, left behind: $file" ;;
        esac
    done
    for file in ../tmp/* ../tmp/.[!.]*; do
        [ ! -e "$file" ] || bad "status $status, left behind: $file"
        rm -f "$file"
    done
    mapfile -t lines <../err
    for file in link stdout; do
        [ ! -e "$file" ] || [ -L "$file" ] || bad "the link $file was replaced"
    done
    case $status in
    0)
        [ "$before" != refused ] || bad 'accepted'
        [ "$before" = told ] || [ "${#lines[@]}" -eq 0 ] || bad 'status 0 and something to say'
        [ "$before" = check ] || is_right "$result" || bad 'status 0 and wrong output'
        [ "$name" != check ] || bad 'status 0 for what is not in order'
        ;;
    1)
        [[ $name = check && ${#lines[@]} = 1 && ${lines[0]} = *disorder* ]] || bad 'status 1'
        ;;
    2)
        [ "${#lines[@]}" -eq 1 ] && [[ ${lines[0]} = gsort:\ * ]] || [ "$before" = told ] ||
            bad "status 2 with ${#lines[@]} lines"
        case $before in
        new | hole)
            [ ! -e out ] || cmp -s out ../wanted || bad 'status 2 and a part of the output'
            ;;
        old | self | link | told | refused | named | written)
            cmp -s out ../out.old || is_right out || bad 'status 2 and the old output lost'
            ;;
        stream) cmp -s -n "$(stat -c %s got)" got ../wanted || bad 'status 2 and wrong bytes' ;;
        esac
        [ ! -e new ] || cmp -s new ../wanted || bad 'status 2 and a part of the output'
        [ ! -L out ] || bad 'the output became a link'
        ;;
    *) bad "status $status" ;;
    esac
}

# Run the command once. Its status is gsort's own, whatever precedes or follows it in a pipe.
run_once()
{
    prepare
    eval "$command"'; status=("${PIPESTATUS[@]}")'
    [[ $command != *'| gsort'* ]] || status=("${status[@]:1}")
}

# Refuse each system call throughout.
walk_refusals()
{
    local SHIM=$REFUSE kind=refused how k number
    TRACER=(strace -f -n -o ../trace)
    run_once
    TRACER=()
    while read -r number how; do
        for k in $REFUSALS; do
            export GSORT_REFUSE="$number $k"
            run_once
            judge "${status[0]}"
            echo "$kind ${status[0]}" >>../tally
        done
    done < <(sed -n '/getppid/,$p' ../trace |
        sed -En 's/^[^[]*\[ *([0-9]+)\] ([a-z0-9_]+)\(.*/\1 \2/p' |
        sort -un | grep -Evw "getppid|$CALLS_NEEDED")
    unset GSORT_REFUSE
}

# Print the keys or records of one of the inputs.
make_input()
{
    case $1 in
    in) "$KEYGEN" uniform 300007 ;;
    sorted) "$KEYGEN" sorted 200003 ;;
    few) "$KEYGEN" zipf 1003 ;;
    big) "$KEYGEN" gaussian 600001 ;;
    many) "$KEYGEN" narrow 800001 ;; # of few values: combined in temporary files
    more) "$KEYGEN" sorted 100003 --seed=2 ;;
    large) "$KEYGEN" uniform 9M ;; # more than 32 MiB
    gray) "$KEYGEN" gray 60000 ;;
    runs) "$KEYGEN" gray 5000 --seed=2 | "$REFERENCE" -R 100 -k 0:b2 ;;
    esac
}

# Walk one mode: every kind, every way to fail, every call.
walk_mode()
{
    local name=$1 before=$2 options=$3 command=$4 kind hows how k status
    # Copy the shims: in LD_PRELOAD, ld.so ends a name at a space or a colon.
    DIR=$(mktemp -d) && mkdir "$DIR/work" "$DIR/tmp" && cp "$SHIM" "$DIR/shim.so" &&
        cp "${SHIM%/*}/refuse.so" "$DIR" && REFUSE=$DIR/refuse.so && SHIM=$DIR/shim.so &&
        cd "$DIR/work" || exit 2
    trap 'rm -rf "$DIR"' EXIT
    : >../tally
    export GSORT_FAULT_MARK=$DIR/mark
    # The right output, by the reference from the same files.
    local inputs='\.\./(in|sorted|few|big|many|more|large|gray|runs)' file
    local -a files
    read -ra files <<<"$(grep -Eo "$inputs" <<<"$command" | xargs)"
    [ "$before" != self ] || files=(../in)
    for file in "${files[@]}"; do
        make_input "${file#../}" >"$file"
    done
    [ "${#files[@]}" -gt 0 ] || files=(/dev/null)
    [[ $command != *-u* || $options = *-u* ]] || options+=' -u'
    # shellcheck disable=SC2086  # options are words
    "$REFERENCE" $options "${files[@]}" >../wanted
    if [ "$before" = written ]; then
        keep_writing "${files[0]}" &
    fi
    while read -r kind hows; do
        [[ " ${GSORT_FAULT_KINDS:-$kind} " = *" $kind "* ]] || continue
        for how in $hows ${REFUSALS// /. }.; do # with a dot: only the first call
            for ((k = 1; ; k += ${GSORT_FAULT_SOME:-0} ? 1 + k / 2 : 1)); do
                rm -f ../mark
                export GSORT_FAULT="$kind $how $k"
                run_once
                judge "${status[0]}"
                [ -e ../mark ] || break
                echo "$kind ${status[0]}" >>../tally
                [[ $how != *. ]] || break
            done
        done
    done < <(kinds)
    unset GSORT_FAULT
    if [[ " ${GSORT_FAULT_KINDS:-refused} " = *" refused "* && $name != ranks-* ]] &&
        command -v strace >/dev/null; then
        walk_refusals
    fi
    sort ../tally | uniq -c | sed "s/^/$name /"
}

if [ "${1:-}" = --one ]; then # as called by xargs below
    walk_mode "${@:2}"
    exit
fi

[ "$#" -ge 4 ] || {
    sed -n '/^# usage/s/^# //p' "$0" >&2
    exit 2
}
GSORT=$(realpath "$1") SHIM=$(realpath "$2") KEYGEN=$(realpath "$3") REFERENCE=$(realpath "$4")
export GSORT SHIM KEYGEN REFERENCE
[ -z "${GSORT_MPI:-}" ] || GSORT_MPI=$(realpath "$GSORT_MPI")
export GSORT_MPI
shift 4
report=$(mktemp)
trap 'rm -f "$report"' EXIT
while IFS='|' read -r name before options command; do
    name=${name// /}
    [ "${1:-all}" = all ] || [[ " $* " = *" $name "* ]] || continue
    printf '%s\0%s\0%s\0%s\0' "$name" "${before// /}" "$options" "${command# }"
done < <(modes) | xargs -0 -n 4 -P "${JOBS:-$(nproc)}" "$0" --one | tee "$report" |
    grep ':' # show what went wrong; the tallies are for awk
awk '$2 ~ /^[0-9]+$/ && NF >= 3 {
        if ($3 == "bad") { bad += $2; next }
        modes[$1]; faults[$3] += $2; ended[$3, $4] += $2; all += $2; ok += $4 == 0 ? $2 : 0 }
    END {
        for (mode in modes) count++
        for (kind in faults)
            printf "%-9s %5d faults: %5d sorted all the same, %5d refused\n", kind, faults[kind],
                ended[kind, 0], ended[kind, 2] | "sort"
        close("sort")
        printf "%d faults in %d modes, %d went wrong\n", all, count, bad
        exit bad != 0 || all == 0 }' "$report"
