# In a control group with room for everything that is written, gsort does not wait for the disk.
# SPDX-License-Identifier: MIT

load ../helper

setup_file()
{
    keygen uniform 24M >"$BATS_FILE_TMPDIR/in" # 96 MiB
    reference "$BATS_FILE_TMPDIR/in" >"$BATS_FILE_TMPDIR/wanted"
}

setup()
{
    without_gpu "a GPU's driver has memory of its own"
    require_strace
    enter_directory
    require_control_group memory
    ln -s "$BATS_FILE_TMPDIR"/{in,wanted} .
}

# calls NAME[,NAME] MIB ARG...: print how many of these system calls gsort makes in a group of MIB;
# not those behind the end of all files, which ask for failures (common/files/late_error.c) and wait
# for nothing.
calls()
{
    limit_to "$2" strace -f -qq -e trace="$1" -o trace "$GSORT" --device=cpu "${@:3}" >&2 || return
    grep -v ', 8796093022208, 1,' trace | grep -cE "(${1//,/|})\(" || true
}

# -S 900M would leave little of 1 GiB, but these sorts take less than that.
@test "a sort of a file does not wait" {
    [ "$(calls sync_file_range 128 in -o got)" -gt 0 ]
    [ "$(calls sync_file_range 1024 -S 900M in -o got)" -eq 0 ]
    assert_same wanted got
}

@test "a sort of a pipe does not wait" {
    [ "$(calls sync_file_range 128 -o got < <(cat in))" -gt 0 ]
    [ "$(calls sync_file_range 1024 -S 900M -o got < <(cat in))" -eq 0 ]
    assert_same wanted got
}

@test "an external sort does not wait" {
    [ "$(calls sync_file_range 64 -S 8M -T . in -o got)" -gt 0 ]
    [ "$(calls sync_file_range 1024 -S 8M -T . in -o got)" -eq 0 ]
    assert_same wanted got
}

@test "a merge of a file or of a pipe does not wait" {
    for input in wanted -; do
        [ "$(calls sync_file_range 64 -m -S 8M -T . "$input" -o got < <(cat wanted))" -gt 0 ]
    done
    for input in wanted -; do
        [ "$(calls sync_file_range 1024 -S 900M -m "$input" -o got < <(cat wanted))" -eq 0 ]
        assert_same wanted got
    done
}

# lengths CALLS MIB OUTPUT: print how many of the calls extend the output when the first 80 MiB come
# from a file and the rest through a pipe. One call extends it for pages made ahead; on ext4 and XFS
# another one reserves the space.
lengths()
{
    calls "$1" "$2" --parallel=8 -S 200M -o "$3" part - < <(tail -c 16M in)
}

@test "the output's pages are made ahead if there is room" {
    case $(stat -f -c %T .) in
    ext* | xfs) ;;
    *) skip "files here gain nothing by that" ;;
    esac
    head -c 80M in >part
    [ "$(lengths fallocate,ftruncate 256 got)" -eq 1 ]
    [ "$(lengths fallocate,ftruncate 1024 got)" -eq 2 ]
    assert_same wanted got
}

@test "on tmpfs, pages are made ahead with less room, too: none of them waits for a disk" {
    mount_memory memory 1g
    head -c 80M in >part
    # Once for the length known at first, once for the whole output, which is sorted in place.
    [ "$(lengths ftruncate 256 memory/got)" -eq 2 ]
    assert_same wanted memory/got
}
