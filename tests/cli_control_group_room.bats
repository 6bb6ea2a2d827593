# A control group that has room for all that is written: nobody waits for a disk.
# SPDX-License-Identifier: MIT

load helper

setup()
{
    without_gpu "a GPU's driver has memory of its own"
    require_strace
    enter_directory
    require_control_group memory
    keygen uniform 24M >in # 96 MiB
    "$GSORT" in -o wanted
}

# calls NAME MIB ARG...: how many such calls gsort makes in a group of so much memory.
calls()
{
    limit_to "$2" strace -f -qq -e trace="$1" -o trace "$GSORT" --device=cpu "${@:3}" >&2 || return
    grep -cE "(${1//,/|})\(" trace || true
}

# -S could leave little of 1 GiB, but these sorts do not take so much.
@test "from a file" {
    [ "$(calls sync_file_range 128 in -o got)" -gt 0 ]
    [ "$(calls sync_file_range 1024 -S 900M in -o got)" -eq 0 ]
    assert_same wanted got
}

@test "from a pipe" {
    [ "$(calls sync_file_range 128 -o got < <(cat in))" -gt 0 ]
    [ "$(calls sync_file_range 1024 -S 900M -o got < <(cat in))" -eq 0 ]
    assert_same wanted got
}

@test "through temporary files" {
    [ "$(calls sync_file_range 64 -S 8M -T . in -o got)" -gt 0 ]
    [ "$(calls sync_file_range 1024 -S 8M -T . in -o got)" -eq 0 ]
    assert_same wanted got
}

@test "merged, from a file and from a pipe" {
    for input in wanted -; do
        [ "$(calls sync_file_range 64 -m -S 8M -T . "$input" -o got < <(cat wanted))" -gt 0 ]
    done
    for input in wanted -; do
        [ "$(calls sync_file_range 1024 -S 900M -m "$input" -o got < <(cat wanted))" -eq 0 ]
        assert_same wanted got
    done
}

# lengths CALLS MIB OUTPUT: how often the output is made longer, the first 80 MiB coming from a file
# and the rest through a pipe: it is when pages are to be made ahead, and ext4 and XFS reserve it
# once.
lengths()
{
    calls "$1" "$2" --parallel=8 -S 200M -o "$3" part - < <(tail -c 16M in)
}

@test "pages are made ahead" {
    case $(stat -f -c %T .) in
    ext* | xfs) ;;
    *) skip "files here gain nothing by that" ;;
    esac
    head -c 80M in >part
    [ "$(lengths fallocate,ftruncate 256 got)" -eq 1 ]
    [ "$(lengths fallocate,ftruncate 1024 got)" -eq 2 ]
    assert_same wanted got
}

@test "in memory pages are made ahead where there is less room, too: they wait for no disk" {
    mount_memory memory 1g
    head -c 80M in >part
    # Once for what is known, once for all, which is sorted there.
    [ "$(lengths ftruncate 256 memory/got)" -eq 2 ]
    assert_same wanted memory/got
}
