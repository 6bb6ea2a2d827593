# In a control group, --plan counts what the disk must have taken before the run can end.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "a GPU's driver has memory of its own"
    enter_directory
    require_control_group memory
    keygen uniform 12M >in # 48 MiB
}

# awaited ARG...: print how many bytes the plan says that the disk must have taken.
awaited()
{
    "$GSORT" --device=cpu --plan=json "$@" | sed -n 's/^ *"awaited_bytes": \([0-9]*\),$/\1/p'
}
export -f awaited

# What is awaited is what the group has no room for: of 48 MiB, with temporary files of twice that.
@test "with room in the group, all may wait in the page cache; else not" {
    [ "$(limit_to 1024 bash -c 'awaited in -o out')" -eq 0 ]
    for options in "" "-S 8M -T ."; do
        bytes=$(limit_to 64 bash -c "awaited $options in -o out")
        echo "options '$options': $bytes"
        [ "$bytes" -gt $((16 << 20)) ]
        [ "$bytes" -le $((96 << 20)) ]
    done
    limit_to 64 "$GSORT" --device=cpu --plan in -o out >plan
    grep -qE '^to disk +[0-9]+ bytes \([0-9.]+ MiB\), at [0-9.]+ GB/s now$' plan
    assert_only in plan
}
