# By default a sort has no more threads than processors that it may use.
# SPDX-License-Identifier: MIT

load ../helper

# threads COMMAND...: print how many threads a sort has that COMMAND starts.
threads()
{
    "$@" "$GSORT" --device=cpu --stats in -o out 2>&1 | awk '/^threads/ { print $2 }'
}

setup()
{
    enter_directory
    keygen uniform 4M >in
}

@test "processors are limited by affinity" {
    [ "$(threads taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')")" -eq 1 ]
}

@test "processors are limited by a control group, rounded up" {
    [ "$(threads env)" -gt 1 ] || skip "there is one processor in all"
    require_control_group cpu
    local quota
    for quota in 100000 50000; do # microseconds in each period of 100000
        echo "$quota" >"$LIMIT"
        [ "$(threads in_group)" -eq 1 ]
    done
    echo 100001 >"$LIMIT"
    [ "$(threads in_group)" -eq 2 ]
}

@test "processors are limited by a control group with a long path" {
    [ "$(threads env)" -gt 1 ] || skip "there is one processor in all"
    require_control_group cpu
    local name inner got
    printf -v name '%0250d' 0
    inner=$GROUP/$name/$name
    mkdir "${inner%/*}" "$inner"
    if [ -e "$GROUP/cgroup.subtree_control" ]; then
        echo +cpu >"$GROUP/cgroup.subtree_control"
        echo +cpu >"${inner%/*}/cgroup.subtree_control"
    fi
    echo 50000 >"$inner/${LIMIT##*/}"
    got=$(GROUP=$inner threads in_group)
    wait_for rmdir "$inner" # so that teardown can remove the group above
    rmdir "${inner%/*}"
    [ "$got" -eq 1 ]
}
