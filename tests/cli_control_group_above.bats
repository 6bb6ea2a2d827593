# A limit on a control group above: what groups below it have in the page cache can be given back.
# SPDX-License-Identifier: MIT

load helper

setup()
{
    require_plain_build
    enter_directory
    require_control_group memory
}

@test "-S is by default what such a limit leaves with files in the page cache" {
    mkdir "$GROUP/below"
    keygen uniform 16M >in # 64 MiB
    # The limit is GROUP's, the program below it.
    # shellcheck disable=SC2016  # by the inner shell
    GROUP=$GROUP/below limit_to 400 bash -c '
        for i in 1 2 3 4 5; do
            cp in "copy$i"
        done
        sync copy?
        cat copy? >/dev/null
        exec "$GSORT" --device=cpu --plan in' >plan
    wait_for rmdir "$GROUP/below"
    grep 'sort in memory' plan
}
