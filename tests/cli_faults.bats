# A call to the system that fails is an error in one line or no harm: the quick part of the walk.
# SPDX-License-Identifier: MIT

load helper

setup()
{
    [ -z "$GSORT_DEVICE" ] || skip "the walk takes --device=cpu"
    [ -e "${FAULTS:-}" ] || skip "FAULTS is not set: make check sets it"
    require_plain_build
}

# walk KINDS MODE...: make check-faults takes all kinds in all modes.
walk()
{
    GSORT_FAULT_KINDS=$1 "$ROOT/tests/faults/walk.sh" "$GSORT" "$FAULTS" "$KEYGEN" "$REFERENCE" \
        "${@:2}"
}

@test "the output's calls, onto an old file and without O_TMPFILE" {
    walk "pwrite length mode link rename close" replace named-replace
}

@test "a new file's name" {
    walk "link stat" new dangling-link
}

@test "threads and memory" {
    walk "mmap thread" replace
}

@test "pipes on both ends" {
    walk "read write" pipes
}

@test "the look at the output's name" {
    walk "stat access readlink" link dangling-link fd-link-file
}

@test "an output that is sorted in the file's memory" {
    walk "length mmap" mapped mapped-ahead
}
