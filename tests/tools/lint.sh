#!/bin/bash
# lint.sh -- all static checks of the sources
# SPDX-License-Identifier: MIT
#
# usage: tests/tools/lint.sh [all|rules|format|shell|cppcheck|tidy]...   at the top of the tree
#
# all (default) runs, cheapest first: rules (lint_rules.awk line by line, lint_house.awk for the
# whole), clang-format, shellcheck, cppcheck, clang-tidy. Findings are printed as FILE:LINE: what.
# Exit status: 0 clean, 1 findings, 2 a tool is missing: none is skipped silently. CLANG_FORMAT,
# CLANG_TIDY, CPPCHECK and SHELLCHECK name other programs for the tools. Only rules and format check
# kernels (.cu). A file that needs headers of CUDA or Highway which are not installed is listed as
# not looked at. clang's analyzer takes 75,000 steps in a function, a third of its default and
# of its time, or all of them with GSORT_EXPENSIVE=1. Every version of clang-format, cppcheck and
# clang-tidy has its own rules: findings of Debian 12's versions count, those of other versions are
# only printed.
set -u
cd "$(dirname "$0")/../.." || exit 2
export LC_ALL=C

CLANG_FORMAT=${CLANG_FORMAT:-clang-format}
CLANG_TIDY=${CLANG_TIDY:-clang-tidy}
CPPCHECK=${CPPCHECK:-cppcheck}
SHELLCHECK=${SHELLCHECK:-shellcheck}
JOBS=${JOBS:-$(nproc)}
FLAGS=(-I. -Isort -D_GNU_SOURCE '-DGS_VERSION="lint"' '-DGS_COMMIT="lint"' '-DGS_GPU_ARCHS="lint"'
    -DGS_CUDA=0 -DGS_HIGHWAY=0 -DGS_HDF5=0 '-DGS_HDF5_LIBRARY="lint"')
read -ra FUSE_FLAGS < <(pkg-config --cflags fuse3 2>/dev/null)
FLAGS+=("${FUSE_FLAGS[@]}")
read -ra MPI_FLAGS < <(pkg-config --cflags ompi-c 2>/dev/null ||
    pkg-config --cflags mpich 2>/dev/null)
read -ra HDF5_FLAGS < <(pkg-config --cflags hdf5 2>/dev/null)
FLAGS+=("${MPI_FLAGS[@]/#-I/-isystem}" "${HDF5_FLAGS[@]/#-I/-isystem}")

# files PATTERN...: list matching files, except in build/ and in hidden directories other than .ci/.
files()
{
    local pattern
    local -a names=(-false)
    for pattern; do
        names+=(-o -path "./$pattern")
    done
    find . \( -path ./build -o -path './.[!.]*' -type d ! -path ./.ci \) -prune -o \
        -type f \( "${names[@]}" \) -print | sed 's|^\./||' | sort
}

need()
{
    command -v "$1" >/dev/null && return
    echo "lint: there is no $1: CONTRIBUTING.md says what to install" >&2
    exit 2
}

# judged STATUS VERSION TOOL: return the status, or 0 if the tool has another version, whose
# findings do not count. A tool without a version or that could not be run (xargs: 124 and more) has
# failed.
judged()
{
    local status=$1 counts=$2 version
    version=$("$3" --version | grep -Eo '[0-9]+(\.[0-9]+)+' | head -n 1)
    if [ "$status" -eq 0 ] || [ "$status" -ge 124 ] || [ -z "$version" ]; then
        return "$status"
    fi
    if [[ $version. != "$counts".* ]]; then
        echo "lint: findings of ${3##*/} $version, not $counts: they do not count"
        status=0
    fi
    return "$status"
}

# worst STATUS: set `status` to it if it is greater.
worst()
{
    [ "$1" -le "$status" ] || status=$1
}

check_rules()
{
    need awk
    local status=0
    local -a list
    mapfile -t list < <(files '*.[ch]' '*.cc' '*.cu' '*.cuh' '*.sh' '*.ba[st]*' '*.awk' .ci/run)
    awk -f tests/tools/lint_code.awk -f tests/tools/lint_rules.awk "${list[@]}" || worst $?
    mapfile -t list < <(files '*.[ch]' '*.cc' '*.cu' '*.cuh')
    awk -f tests/tools/lint_code.awk -f tests/tools/lint_house.awk "${list[@]}" || worst $?
    return "$status"
}

check_format()
{
    need "$CLANG_FORMAT"
    local status=0
    files '*.[ch]' '*.cc' '*.cu' '*.cuh' | xargs "$CLANG_FORMAT" --dry-run -Werror || status=$?
    judged "$status" 14 "$CLANG_FORMAT"
}

check_shell()
{
    need "$SHELLCHECK"
    files '*.sh' '*.bash' '*.bats' .ci/run | xargs "$SHELLCHECK" -x
}

check_cppcheck()
{
    need "$CPPCHECK"
    local status=0
    files '*.[ch]' | xargs "$CPPCHECK" -j "$JOBS" --quiet --error-exitcode=1 --inline-suppr \
        --enable=warning,portability,performance --std=c11 --template=gcc "${FLAGS[@]}" \
        --suppress=normalCheckLevelMaxBranches --suppress=nullPointerArithmeticOutOfMemory ||
        status=$?
    judged "$status" 2.10 "$CPPCHECK"
}

# tidy_each FLAG... <FILES: run clang-tidy on each file with these compiler flags.
tidy_each()
{
    local steps=(-Xclang -analyzer-config -Xclang max-nodes=75000)
    [ "${GSORT_EXPENSIVE:-0}" = 0 ] || steps=()
    xargs -P "$JOBS" -I{} "$CLANG_TIDY" --quiet {} -- "$@" "${FLAGS[@]}" "${steps[@]}" -fopenmp \
        2>/dev/null
}

check_tidy()
{
    need "$CLANG_TIDY"
    local nvcc cuda='' status=0
    local -a absent=() mpi
    if nvcc=$(command -v "${NVCC:-nvcc}"); then
        cuda=$(dirname "$(dirname "$(readlink -f "$nvcc")")")/include
    fi
    local host gpu cxx
    # What is built with CUDA's headers; *_absent.c replace that in a build without.
    mapfile -t gpu < <(files '*.c' | grep -E '(^|/)(device|gpu)/' | grep -v '_absent\.c$')
    # The libraries for faults define functions of the C library, to which clang-tidy objects.
    mapfile -t host < <(files '*.c' | grep -Evx 'tests/faults/(shim|refuse).c' |
        comm -23 - <(printf '%s\n' "${gpu[@]}"))
    mapfile -t cxx < <(files '*.cc')
    if ! pkg-config --exists fuse3 2>/dev/null; then
        absent+=(tests/faults/quirkfs.c)
        mapfile -t host < <(printf '%s\n' "${host[@]}" | grep -v '^tests/faults/quirkfs\.c$')
    fi
    if ! pkg-config --exists hdf5 2>/dev/null; then
        absent+=(common/formats/hdf5.c)
        mapfile -t host < <(printf '%s\n' "${host[@]}" | grep -v '^common/formats/hdf5\.c$')
    fi
    if [ "${#MPI_FLAGS[@]}" -eq 0 ]; then
        mapfile -t mpi < <(files 'sort/cluster/*.c' | grep -v '_absent\.c$')
        absent+=("${mpi[@]}")
        mapfile -t host < <(comm -23 <(printf '%s\n' "${host[@]}") <(printf '%s\n' "${mpi[@]}"))
    fi
    printf '%s\n' "${host[@]}" | tidy_each -std=c11 || worst $?
    if [ "${#gpu[@]}" -gt 0 ]; then
        if [ -e "$cuda/cuda_runtime_api.h" ]; then
            # A debug build has the calls that tests make fail; nothing else compiles them.
            printf '%s\n' "${gpu[@]}" | tidy_each -std=c11 -DGS_DEBUG=1 -isystem "$cuda" || worst $?
        else
            absent+=("${gpu[@]}")
        fi
    fi
    if [ "${#cxx[@]}" -gt 0 ]; then
        if [ -e /usr/include/hwy/contrib/sort/vqsort.h ]; then
            printf '%s\n' "${cxx[@]}" | tidy_each -std=c++17 || worst $?
        else
            absent+=("${cxx[@]}")
        fi
    fi
    [ "${#absent[@]}" -eq 0 ] || echo "lint: not looked at, no headers here: ${absent[*]}"
    judged "$status" 14 "$CLANG_TIDY"
}

[ "$#" -gt 0 ] || set -- all
[ "$*" != all ] || set -- rules format shell cppcheck tidy
failed=()
for part; do
    case $part in
    rules | format | shell | cppcheck | tidy) ;;
    *)
        echo "lint: no such part: $part" >&2
        exit 2
        ;;
    esac
    if "check_$part"; then
        echo "lint: $part: clean"
    else
        echo "lint: $part: findings"
        failed+=("$part")
    fi
done
[ "${#failed[@]}" -eq 0 ]
