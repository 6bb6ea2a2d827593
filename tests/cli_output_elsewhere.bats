# -o names a file that another process has open: nothing old stays behind the keys.
# SPDX-License-Identifier: MIT

load helper

setup()
{
    enter_directory
    keygen uniform 1000 >in
    reference in >wanted
}

@test "by its name in /proc: cut to what is sorted" {
    keygen uniform 5000 >out
    sleep 100 7<>out 3>&- &
    GSORT_PID=$! # the teardown ends it
    wait_for test -e "/proc/$GSORT_PID/fd/7"
    gsort in -o "/proc/$GSORT_PID/fd/7"
    assert_same wanted out
}
