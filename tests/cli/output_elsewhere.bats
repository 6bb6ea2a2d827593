# If -o names a file that another process has open, it is truncated to the sorted keys.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 1000 >in
    reference in >wanted
}

@test "a file named by another process's /proc/PID/fd entry is truncated" {
    keygen uniform 5000 >out
    sleep 100 7<>out 3>&- &
    GSORT_PID=$! # teardown kills it
    wait_for test -e "/proc/$GSORT_PID/fd/7"
    gsort in -o "/proc/$GSORT_PID/fd/7"
    assert_same wanted out
}
