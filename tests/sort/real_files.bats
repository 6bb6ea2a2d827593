# Real data, the shared libraries of the system, is sorted like the reference sorts it.
# SPDX-License-Identifier: MIT

load ../helper

@test "shared libraries, from a file and from pipe to pipe, with -r and -u" {
    # head ends early, and the commands before it by SIGPIPE.
    find /usr/lib -name '*.so*' -type f -print0 | sort -z |
        xargs -0 cat 2>xargs.err | head -c 24000000 >all || true
    local bytes
    bytes=$(wc -c <all)
    [ "$bytes" -gt 1000000 ]
    head -c $((bytes / 4 * 4)) all >in
    assert_sorts in
    assert_sorts -r in
    assert_sorts -u in
    reference -r -u in >wanted
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | gsort -r -u | cat >got
    assert_same wanted got
}
