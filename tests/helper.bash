# helper.bash -- loaded by every test file: the programs, a directory for each test, assertions
# SPDX-License-Identifier: MIT
#
# GSORT, KEYGEN, REFERENCE, FUZZ_OPTIONS and QUIRKFS name the programs, UNITS the directory of unit
# tests. Without QUIRKFS, tests on file systems with quirks are skipped.
# GSORT_DEVICE=gpu runs the same suite with --device=gpu on every command line (tests that choose a
# device themselves call "$GSORT"). GSORT_EXPENSIVE=1 adds tests that need minutes or gigabytes, and
# all combinations where some are enough.

bats_require_minimum_version 1.5.0

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
GSORT=${GSORT:-$ROOT/gsort}
KEYGEN=${KEYGEN:-$ROOT/build/keygen}
REFERENCE=${REFERENCE:-$ROOT/build/reference}
FUZZ_OPTIONS=${FUZZ_OPTIONS:-$ROOT/build/fuzz_options}
GSORT_DEVICE=${GSORT_DEVICE:-}
export ROOT GSORT KEYGEN REFERENCE GSORT_DEVICE LC_ALL=C
unset POSIXLY_CORRECT
set -o pipefail

# Every test runs in an empty directory of its own. ld.so ends a name in LD_PRELOAD at a space or a
# colon: if the path of the source tree contains one, use a copy of the shim.
enter_directory()
{
    case ${FAULTS:-} in
    *[\ :]*) cp "$FAULTS" "$BATS_TEST_TMPDIR/faults.so" && FAULTS=$BATS_TEST_TMPDIR/faults.so ;;
    esac
    mkdir "$BATS_TEST_TMPDIR/work" && cd "$BATS_TEST_TMPDIR/work" || return
    umask 022
}

setup()
{
    enter_directory
}

gsort()
{
    "$GSORT" ${GSORT_DEVICE:+"--device=$GSORT_DEVICE"} "$@"
}
keygen()
{
    "$KEYGEN" "$@"
}
reference()
{
    "$REFERENCE" "$@"
}
export -f gsort keygen reference

# start ARG...: run gsort in the background with no signal ignored; its process id is in GSORT_PID.
# (A shell's background jobs ignore SIGINT and SIGQUIT, and gsort rightly leaves that so; <&0
# because the shell gives them /dev/null as standard input.)
start()
{
    env --default-signal "$GSORT" ${GSORT_DEVICE:+"--device=$GSORT_DEVICE"} "$@" <&0 3>&- &
    GSORT_PID=$!
}

# wait_for COMMAND...: repeat it until it succeeds; give up after at least a minute.
wait_for()
{
    local i
    for ((i = 0; i < 6000; i++)); do
        if "$@"; then
            return 0
        fi
        sleep 0.01
    done
    echo "waited in vain for: $*" >&2
    return 1
}

is_expensive()
{
    [ "${GSORT_EXPENSIVE:-0}" = 1 ]
}

# take_turns WORD...: set TURNS to every other word, with the next call to those between; with
# GSORT_EXPENSIVE=1 to all of them; with --device=gpu to one of them, the next with each call:
# there, starting CUDA costs each run 0.14 s, one run after the other, and the GPU's own test
# programs (gpu_*.c, gpu_ways) cover all combinations. Each round of calls begins one word
# later than the last, so that each step of a loop with as many steps as words meets every word.
take_turns()
{
    take_each 2 "$@"
}

# take_few WORD...: the same with every fourth word, where runs are long or many.
take_few()
{
    take_each 4 "$@"
}

TURN=${BATS_TEST_NUMBER:-0} # each test of a file begins one word later
# shellcheck disable=SC2034  # TURNS is the caller's
take_each()
{
    local step=$1 next i
    shift
    next=$(((TURN + TURN / $#) % $#))
    TURNS=("${@:next+1:1}")
    if [ "$GSORT_DEVICE" != gpu ]; then
        for ((i = 1; i < $#; i++)); do
            if is_expensive || [ $((i % step)) -eq 0 ]; then
                TURNS+=("${@:(next + i) % $# + 1:1}")
            fi
        done
    fi
    TURN=$((TURN + 1))
}

# repeats N: print how often to try to provoke a race: a third of N times; with GSORT_EXPENSIVE=1,
# unless with --device=gpu, N times.
repeats()
{
    if is_expensive && [ "$GSORT_DEVICE" != gpu ]; then
        echo "$1"
    else
        echo $(($1 / 3))
    fi
}

# time_best ARG...: print the time of the shortest of three runs of gsort, in microseconds. A single
# run may have met a busy machine: moments spread over its time would come after other runs' end.
time_best()
{
    local begin took best=0 i
    for i in 1 2 3; do
        begin=${EPOCHREALTIME/./}
        gsort "$@" || return
        took=$((${EPOCHREALTIME/./} - begin))
        [ "$i" -gt 1 ] && [ "$took" -ge "$best" ] || best=$took
    done
    echo "$best"
}

# has_begun: the process started is gsort by now, not the shell or env before it (these ignore
# signals).
has_begun()
{
    [[ $(cat "/proc/$GSORT_PID/comm" 2>/dev/null) == "$(basename "$GSORT")" ]]
}

# has_ended: the process started is gone, or a zombie that its parent has not waited for.
has_ended()
{
    ! grep -q '^State:.*[^Z ] (' "/proc/$GSORT_PID/status" 2>/dev/null
}

# has_open NAME: the gsort started, not the shell before it, has opened this file of the current
# directory. gsort opens a FIFO after it has mapped all other inputs; if the test closed its end
# before that, the keys written would be lost.
has_open()
{
    has_begun || return
    # grep reads all: under pipefail, grep -q ending early, or a vanished link, would fail.
    { readlink "/proc/$GSORT_PID/fd/"* 2>/dev/null || true; } | grep "/$1\$" >/dev/null
}

# keys KEY...: print the keys in the binary file format. (Bats makes every command of a shell loop
# slow, so awk does the work.)
keys()
{
    printf '%b' "$(printf '%s\n' "$@" | awk '{
        printf "\\x%02x\\x%02x\\x%02x\\x%02x", $1 % 256, int($1 / 256) % 256,
            int($1 / 65536) % 256, int($1 / 16777216) }')"
}
export -f keys

# decimal [FILE]: print a file's keys in decimal, one per line.
decimal()
{
    od -An -v -tu4 -w4 "$@" | tr -d ' '
}

# assert_same WANTED GOT: the files are the same, byte for byte.
assert_same()
{
    cmp "$1" "$2" || {
        echo "wanted $(wc -c <"$1") bytes, got $(wc -c <"$2"): $1 $2" >&2
        return 1
    }
}

# assert_sorts [OPTION...] [+OPTION...] FILE...: gsort's output is that of the reference. Options
# that the reference does not have follow a +.
assert_sorts()
{
    local -a both=() more=()
    while [[ $1 = -* ]]; do
        both+=("$1")
        shift
    done
    while [[ $1 = +* ]]; do
        more+=("${1#+}")
        shift
    done
    reference "${both[@]}" "$@" >wanted.out || return
    if ! gsort "${both[@]}" "${more[@]}" "$@" >got.out || ! assert_same wanted.out got.out; then
        echo "by: gsort ${both[*]} ${more[*]} $*" >&2
        return 1
    fi
}

# assert_trouble WORD...: the last `run` wrote nothing to standard output and one line to standard
# error, which is a message of gsort's and contains each WORD.
assert_trouble()
{
    local word
    [ -z "$output" ] || {
        echo "standard output: $output" >&2
        return 1
    }
    if [ "${#stderr_lines[@]}" -ne 1 ] || [[ $stderr != *gsort:\ * ]]; then
        echo "not one line of gsort's: $stderr" >&2
        return 1
    fi
    for word; do
        [[ $stderr == *"$word"* ]] || {
            echo "no \"$word\" in: $stderr" >&2
            return 1
        }
    done
}

# assert_only NAME...: the current directory holds these files and no others, not even hidden ones.
assert_only()
{
    local got wanted
    got=$(find . -mindepth 1 -printf '%P\n' | sort)
    wanted=$(printf '%s\n' "$@" | sort)
    [ "$got" = "$wanted" ] || {
        echo "files here: ${got//$'\n'/ }; wanted: ${wanted//$'\n'/ }" >&2
        return 1
    }
}

# require PROGRAM: skip the test where it is not installed.
require()
{
    command -v "$1" >/dev/null || skip "needs $1"
}

require_terminal()
{
    require script
    script -q -e -c true /dev/null </dev/null >/dev/null 2>&1 || skip "needs a pseudo-terminal"
}

# as_nobody COMMAND...: run it as a user whom permissions bind, unlike root. Call require_nobody
# first: it changes to a directory that this user can enter, and puts a copy of gsort there.
as_nobody()
{
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"
    else
        "$@"
    fi
}

require_nobody()
{
    [ "$(id -u)" -ne 0 ] || require setpriv
    as_nobody true 2>/dev/null || skip "cannot drop root's privileges here"
    OPEN_DIR=$(mktemp -d /tmp/gsort-test.XXXXXX)
    chmod 755 "$OPEN_DIR"
    install -m 755 "$GSORT" "$OPEN_DIR/gsort"
    mkdir "$OPEN_DIR/work"
    GSORT=$OPEN_DIR/gsort
    cd "$OPEN_DIR/work" || return
}

# unit_test NAME: run a unit test's program.
unit_test()
{
    without_gpu "unit tests run no kernel, and tests/gpu/ has its own"
    "$UNITS/$1"
}

require_gpu()
{
    "$GSORT" --device=gpu </dev/null >/dev/null 2>&1 || skip "no usable GPU or no CUDA here"
}

# without_gpu REASON: skip where the suite runs with --device=gpu; REASON says why the test would
# make no sense there.
without_gpu()
{
    [ "$GSORT_DEVICE" != gpu ] || skip "not with --device=gpu: $1"
}

# require_clone: skip unless this is a clone, of which clone_tree makes others; no gsort runs there.
require_clone()
{
    without_gpu "no gsort runs here"
    require make
    require git
    git -C "$ROOT" rev-parse --verify -q HEAD >/dev/null || skip "not in a clone"
    unset MAKEFLAGS MFLAGS MAKELEVEL
}

# clone_tree DIR: clone the last commit.
clone_tree()
{
    git clone -q --no-hardlinks --depth 1 "file://$ROOT" "$1"
}

# require_control_group CONTROLLER: make a control group for this test, for memory, cpu or pids.
# GROUP is its directory, LIMIT the file that sets its limit.
require_control_group()
{
    GROUP=/sys/fs/cgroup/${1:?memory, cpu or pids}/gsort-test.$$
    LIMIT=$GROUP/memory.limit_in_bytes
    [ "$1" != cpu ] || LIMIT=$GROUP/cpu.cfs_quota_us
    [ "$1" != pids ] || LIMIT=$GROUP/pids.max
    [ -d "/sys/fs/cgroup/$1" ] || GROUP=/sys/fs/cgroup/gsort-test.$$ LIMIT=$GROUP/$1.max
    [ "$(id -u)" -eq 0 ] || skip "only root makes control groups"
    mkdir "$GROUP" 2>/dev/null || skip "no control group to be had here"
    [ -w "$LIMIT" ] || skip "no limit to be set here"
}

# in_group COMMAND...: run it in the group from its start.
in_group()
{
    bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' bash "$GROUP" "$@"
}

# limit_to MIB COMMAND...: run it in the group, with its memory limited to MIB.
limit_to()
{
    echo $(($1 << 20)) >"$LIMIT"
    in_group "${@:2}"
}

# mount_memory DIR SIZE: mount a tmpfs at ./DIR; skip the test where mounting is not permitted.
mount_memory()
{
    mkdir "$1"
    mount -t tmpfs -o "size=$2" tmpfs "$1" 2>/dev/null || skip "mounting is not permitted here"
    MOUNTED=("$PWD/$1" "${MOUNTED[@]}")
}

# mount_image DIR IMAGE TYPE [OPTIONS]: mount the file system in a file at ./DIR. Fails without a
# message where that is not permitted, or there is no loop device or no file system of this type.
mount_image()
{
    mkdir -p "$1"
    mount -t "$3" -o "loop${4:+,$4}" "$2" "$1" 2>/dev/null || return
    MOUNTED=("$PWD/$1" "${MOUNTED[@]}")
}

# mount_quirks QUIRK...: mount ./behind at ./quirky, by tests/faults/quirkfs.c; skip the test where
# that was not built or there is no FUSE. A quirk that it does not know is an error.
mount_quirks()
{
    local status=0
    [ -x "${QUIRKFS:-}" ] || skip "needs libfuse 3 and a build with FUSE=1"
    mkdir -p behind quirky
    "$QUIRKFS" behind quirky "$@" 2>/dev/null 3>&- || status=$?
    [ "$status" -ne 2 ] || { echo "not all of these are quirks: $*" >&2 && return 2; }
    [ "$status" -eq 0 ] || skip "no file system by FUSE to be had here"
    MOUNTED=("$PWD/quirky" "${MOUNTED[@]}")
}

# unmount_last: unmount what was mounted last, before the test ends.
unmount_last()
{
    umount_all "${MOUNTED[0]}" || return
    MOUNTED=("${MOUNTED[@]:1}")
}

# Only root uses umount(8); other users may have mounted by FUSE.
umount_all()
{
    local place
    for place; do
        umount "$place" 2>/dev/null || fusermount3 -u "$place" || return
    done
}

require_expensive()
{
    is_expensive || skip "expensive: GSORT_EXPENSIVE=1 runs it"
}

# Where CI is set, as .ci/run does, time and disk may be short.
require_gigabytes()
{
    require_expensive
    [ -z "${CI:-}" ] || skip "gigabytes, and minutes: not with CI set"
}

teardown()
{
    if [ -n "${GSORT_PID:-}" ]; then
        kill -KILL "$GSORT_PID" 2>/dev/null || true
    fi
    if [ -n "${MOUNTED:-}" ]; then # by one of the above, last one first
        cd /
        umount_all "${MOUNTED[@]}"
    fi
    if [ -d "${GROUP:-}" ]; then
        wait_for rmdir "$GROUP"
    fi
    if [ -n "${OPEN_DIR:-}" ]; then
        rm -rf "$OPEN_DIR"
    fi
}

# Skip in a sanitizer build: it needs terabytes of address space, and /proc.
require_plain_build()
{
    if grep -q __asan_init "$GSORT"; then
        skip "a sanitizer's build wants address space and /proc"
    fi
}

# Skip where strace cannot trace gsort: not installed, not permitted, or a sanitizer build.
require_strace()
{
    require strace
    require_plain_build
    strace -o /dev/null true 2>/dev/null || skip "strace is not permitted here"
}

# require_disk: skip the test where files stay in memory.
require_disk()
{
    case $(stat -f -c %T .) in
    ext2/ext3 | xfs | btrfs) ;;
    *) skip "pages of this file system may stay in memory" ;;
    esac
}

# drop_cache FILE: drop it from the page cache; its pages must be on the disk already.
drop_cache()
{
    dd if="$1" iflag=nocache count=0 status=none
}
