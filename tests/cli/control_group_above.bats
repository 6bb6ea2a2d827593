# Under the limit of a parent control group, page cache of the groups below it can be given back.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    require_plain_build
    enter_directory
    require_control_group memory
}

# stat_mib V1 V2: print a figure for the group and those below it, by its name in version 1 or 2, in
# MiB.
stat_mib()
{
    awk -v v1="$1" -v v2="$2" '
        $1 == v1 || $1 == v2 { bytes = $2 }
        END { print int(bytes / 1048576) }' "$GROUP/memory.stat"
}

# Linux's figures for the copies may be 2 seconds old.
is_cached_and_clean()
{
    [ "$(stat_mib total_cache file)" -ge 300 ] && [ "$(stat_mib total_dirty file_dirty)" -eq 0 ] &&
        [ "$(stat_mib total_writeback file_writeback)" -eq 0 ]
}

@test "the default for -S counts clean pages of the page cache as free memory" {
    mkdir "$GROUP/below"
    keygen uniform 16M >in # 64 MiB
    # The limit is that of GROUP; the programs run in the group below it.
    # shellcheck disable=SC2016  # by the inner shell
    GROUP=$GROUP/below limit_to 400 bash -e -c '
        for i in 1 2 3 4 5; do
            cp in "copy$i"
        done
        sync copy?
        cat copy? >/dev/null'
    wait_for is_cached_and_clean
    GROUP=$GROUP/below in_group "$GSORT" --device=cpu --plan in >plan
    wait_for rmdir "$GROUP/below"
    grep 'sort in memory' plan
}
