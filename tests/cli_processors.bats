# By default there are no more threads than processors that the sort may use.
# SPDX-License-Identifier: MIT

load helper

# threads COMMAND...: how many a sort would have.
threads()
{
    "$@" "$GSORT" --device=cpu --stats in -o out 2>&1 | awk '/^threads/ { print $2 }'
}

setup()
{
    enter_directory
    keygen uniform 4M >in
}

@test "by affinity" {
    [ "$(threads taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')")" -eq 1 ]
}

@test "by a control group, half a processor counts as one" {
    [ "$(threads env)" -gt 1 ] || skip "there is one processor in all"
    require_control_group cpu
    local quota
    for quota in 100000 50000; do # microseconds of each period, which has 100000
        echo "$quota" >"$LIMIT"
        [ "$(threads in_group)" -eq 1 ]
    done
    echo 100001 >"$LIMIT"
    [ "$(threads in_group)" -eq 2 ]
}

@test "by a control group whose path is long" {
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
    wait_for rmdir "$inner" # whatever was got, the group above can be removed then
    rmdir "${inner%/*}"
    [ "$got" -eq 1 ]
}
