# Where a sandbox refuses a system call that only probes, with EPERM, the sort goes on.
# SPDX-License-Identifier: MIT

load ../helper

# refused NUMBER OPTION...: sort `in` to `out`, with this system call refused throughout.
refused()
{
    local status=0
    LD_PRELOAD=${FAULTS%/*}/refuse.so GSORT_REFUSE="$1 1" "$GSORT" "${@:2}" in -o out || status=$?
    [ "$status" -ne 125 ] || skip "seccomp filters are not permitted here"
    [ "$status" -eq 0 ]
    assert_same wanted out
}

@test "what is probed may be refused: access, kind of file system, attributes" {
    require_plain_build
    local number numbers=(138 269 332 439) # fstatfs faccessat statx faccessat2
    [ "$(uname -m)" = x86_64 ] || numbers=(44 48 291 439)
    mkdir t
    keygen uniform 300007 >in
    reference in >wanted
    for number in "${numbers[@]}"; do
        rm -f out
        refused "$number"
        refused "$number"
        refused "$number" -S 256K -T t
    done
}

# Of these, size is 0, and one read of 4 MiB is refused.
@test "a file of /proc/sys is read as it is" {
    cat /proc/sys/kernel/ostype >in
    reference -t u8 in >wanted
    gsort --format=raw -t u8 /proc/sys/kernel/ostype -o out
    assert_same wanted out
}
