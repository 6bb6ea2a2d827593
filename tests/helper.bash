# helper.bash -- what every test file loads: the programs, a directory of its own, the assertions
# SPDX-License-Identifier: MIT
#
# GSORT, KEYGEN, REFERENCE and FUZZ_OPTIONS name the programs, UNITS the directory of unit tests.
# GSORT_DEVICE=gpu runs the same suite with --device=gpu on every command line (tests that name a
# device themselves call "$GSORT"). GSORT_EXPENSIVE=1 adds the tests that want minutes or gigabytes.

bats_require_minimum_version 1.5.0

ROOT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
GSORT=${GSORT:-$ROOT/gsort}
KEYGEN=${KEYGEN:-$ROOT/build/keygen}
REFERENCE=${REFERENCE:-$ROOT/build/reference}
FUZZ_OPTIONS=${FUZZ_OPTIONS:-$ROOT/build/fuzz_options}
GSORT_DEVICE=${GSORT_DEVICE:-}
export ROOT GSORT KEYGEN REFERENCE GSORT_DEVICE LC_ALL=C
unset OMP_WAIT_POLICY GOMP_SPINCOUNT
unset POSIXLY_CORRECT
set -o pipefail

# Every test runs in a directory of its own that holds nothing yet. ld.so ends a name in LD_PRELOAD
# at a space or a colon: where the tree has one in its path, the shim comes along.
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

# start ARG...: gsort in the background with no signal ignored, its process id in GSORT_PID. (A
# shell's background jobs ignore SIGINT and SIGQUIT, and gsort rightly leaves them so; <&0 because
# they would have /dev/null as standard input.)
start()
{
    env --default-signal "$GSORT" ${GSORT_DEVICE:+"--device=$GSORT_DEVICE"} "$@" <&0 3>&- &
    GSORT_PID=$!
}

# wait_for COMMAND...: until it succeeds, a minute at least before it is given up.
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

# take_turns WORD...: in TURNS all of them; with --device=gpu only one, another with each call.
# There a run costs 0.14 s of CUDA's start, one after the other, and the GPU's own programs
# (gpu_*.c, bench-gpu --check) go through the products of all that varies. Each round begins one
# word later than the last: in a loop of as many steps as words, a step meets each word in time.
TURN=0
# shellcheck disable=SC2034  # TURNS is the caller's
take_turns()
{
    local next=$(((TURN + TURN / $#) % $#))
    TURNS=("$@")
    [ "$GSORT_DEVICE" != gpu ] || TURNS=("${@:next+1:1}")
    TURN=$((TURN + 1))
}

# repeats N: N; with --device=gpu a third, for what is repeated until a race is met.
repeats()
{
    if [ "$GSORT_DEVICE" = gpu ]; then
        echo $(($1 / 3))
    else
        echo "$1"
    fi
}

# time_best ARG...: the shortest of three runs of gsort, in microseconds. One run may have met a
# busy machine, and moments spread over it would come after the end of all others.
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

# has_begun: what was started is gsort by now, not the shell or env before it, which ignore signals.
has_begun()
{
    [[ $(cat "/proc/$GSORT_PID/comm" 2>/dev/null) == "$(basename "$GSORT")" ]]
}

# has_ended: what was started is gone, or waits for its parent to ask how it ended.
has_ended()
{
    ! grep -q '^State:.*[^Z ] (' "/proc/$GSORT_PID/status" 2>/dev/null
}

# has_open NAME: the gsort that was started, not the shell before it, has opened this file of the
# current directory. A FIFO it opens after it has mapped what can be mapped; closing it sooner would
# lose what was written.
has_open()
{
    has_begun || return
    # All is read: under pipefail a grep -q that ends first, or a link that is gone, is failure.
    { readlink "/proc/$GSORT_PID/fd/"* 2>/dev/null || true; } | grep "/$1\$" >/dev/null
}

# keys KEY...: the keys given, in the file format, on standard output. (Bats makes every command of
# a shell loop slow, so awk does the work here.)
keys()
{
    printf '%b' "$(printf '%s\n' "$@" | awk '{
        printf "\\x%02x\\x%02x\\x%02x\\x%02x", $1 % 256, int($1 / 256) % 256,
            int($1 / 65536) % 256, int($1 / 16777216) }')"
}
export -f keys

# decimal [FILE]: a file's keys, one a line.
decimal()
{
    od -An -v -tu4 -w4 "$@" | tr -d ' '
}

# assert_same WANTED GOT: byte for byte.
assert_same()
{
    cmp "$1" "$2" || {
        echo "wanted $(wc -c <"$1") bytes, got $(wc -c <"$2"): $1 $2" >&2
        return 1
    }
}

# assert_sorts [OPTION...] FILE: gsort gives what the reference gives. Options that the reference
# does not have follow a +.
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
# error, of the program's, that has each WORD in it.
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

# assert_only NAME...: the current directory holds these files and no other, hidden ones included.
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

# require PROGRAM: skip where it is not installed.
require()
{
    command -v "$1" >/dev/null || skip "needs $1"
}

require_terminal()
{
    require script
    script -q -e -c true /dev/null </dev/null >/dev/null 2>&1 || skip "needs a pseudo-terminal"
}

# as_nobody COMMAND...: by a user whom permissions bind, as they do not bind root. After
# require_nobody, which moves to a directory that this user can enter, with a copy of gsort.
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

require_gpu()
{
    "$GSORT" --device=gpu </dev/null >/dev/null 2>&1 || skip "no usable GPU or no CUDA here"
}

# without_gpu REASON: skip where the suite runs with --device=gpu, which this test makes no sense
# with, for the reason given.
without_gpu()
{
    [ "$GSORT_DEVICE" != gpu ] || skip "not with --device=gpu: $1"
}

# require_control_group CONTROLLER: a control group of this test's own, GROUP, for memory, cpu or
# pids.
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

# in_group COMMAND...: from its start on.
in_group()
{
    bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' bash "$GROUP" "$@"
}

# limit_to MIB COMMAND...: in the group, with so much memory.
limit_to()
{
    echo $(($1 << 20)) >"$LIMIT"
    in_group "${@:2}"
}

# mount_memory DIR SIZE: a file system of its own at ./DIR, where mounting is permitted.
mount_memory()
{
    mkdir "$1"
    mount -t tmpfs -o "size=$2" tmpfs "$1" 2>/dev/null || skip "mounting is not permitted here"
    MOUNTED=("$PWD/$1" "${MOUNTED[@]}")
}

# mount_image DIR IMAGE TYPE [OPTIONS]: the file system that a file holds, at ./DIR. Nothing is said
# where that cannot be done: mounting is not permitted, there is no loop device, or no such kind.
mount_image()
{
    mkdir -p "$1"
    mount -t "$3" -o "loop${4:+,$4}" "$2" "$1" 2>/dev/null || return
    MOUNTED=("$PWD/$1" "${MOUNTED[@]}")
}

# unmount_last: what was mounted last, before the test's end.
unmount_last()
{
    umount "${MOUNTED[0]}" || return
    MOUNTED=("${MOUNTED[@]:1}")
}

require_expensive()
{
    [ "${GSORT_EXPENSIVE:-0}" = 1 ] || skip "expensive: GSORT_EXPENSIVE=1 runs it"
}

teardown()
{
    if [ -n "${GSORT_PID:-}" ]; then
        kill -KILL "$GSORT_PID" 2>/dev/null || true
    fi
    if [ -n "${MOUNTED:-}" ]; then # by mount_memory or mount_image, the last of them first
        cd /
        umount "${MOUNTED[@]}"
    fi
    if [ -d "${GROUP:-}" ]; then
        wait_for rmdir "$GROUP"
    fi
    if [ -n "${OPEN_DIR:-}" ]; then
        rm -rf "$OPEN_DIR"
    fi
}

# Skip in a sanitizer's build, which wants terabytes of address space and /proc.
require_plain_build()
{
    if grep -q __asan_init "$GSORT"; then
        skip "a sanitizer's build wants address space and /proc"
    fi
}

# Skip where strace cannot follow the program: not installed, not permitted, or a sanitizer in it.
require_strace()
{
    require strace
    require_plain_build
    strace -o /dev/null true 2>/dev/null || skip "strace is not permitted here"
}
