# -c reports the first disorder as FILE:INDEX: disorder: KEY after KEY and exits 1.
# SPDX-License-Identifier: MIT

load ../helper

@test "files in order: status 0, silent" {
    for n in 0 1 2 100 300007; do
        keygen sorted "$n" >in
        run -0 --separate-stderr gsort -c in
        [ -z "$output$stderr" ]
    done
}

@test "the message names the file, the index (from 0) and the key" {
    keys 1 5 3 2 >in
    run -1 --separate-stderr gsort -c in
    [ -z "$output" ]
    [[ $stderr == "gsort: in:2: disorder: 3 after "* ]]
    run -1 --separate-stderr gsort --check in
    [[ $stderr == "gsort: in:2: disorder: 3 after "* ]]
}

@test "equal keys are in order, except with -u" {
    keys 1 2 2 3 >in
    run -0 --separate-stderr gsort -c in
    run -1 --separate-stderr gsort -c -u in
    [[ $stderr == "gsort: in:2: disorder: 2 after "* ]]
    keys 1 2 3 4294967295 >in
    run -0 --separate-stderr gsort -cu in
}

@test "-r checks for descending order" {
    keys 9 5 5 0 >in
    run -0 --separate-stderr gsort -c -r in
    run -1 --separate-stderr gsort -c in
    [[ $stderr == "gsort: in:1: disorder: 5 after "* ]]
    run -1 --separate-stderr gsort -c -r -u in
    [[ $stderr == "gsort: in:2: disorder: 5 after "* ]]
    keys 0 4294967295 >in
    run -1 --separate-stderr gsort -c -r in
    [[ $stderr == "gsort: in:1: disorder: 4294967295 after "* ]]
}

@test "the first of several disorders is found anywhere, by any number of threads" {
    keygen sorted 1000000 >ascending
    printf '\1' | dd of=ascending conv=notrunc status=none # 1, so that 0 is out of order anywhere
    for at in 1 2 63 64 65535 65536 65537 499999 999999; do
        # The key at this index becomes 0, and so does the last one.
        cp ascending in
        printf '\0\0\0\0' | dd of=in bs=4 seek="$at" conv=notrunc status=none
        printf '\0\0\0\0' | dd of=in bs=4 seek=999999 conv=notrunc status=none
        for threads in 1 2 5; do
            run -1 --separate-stderr gsort -c --parallel="$threads" in
            [[ $stderr == "gsort: in:$at: disorder: 0 after "* ]]
        done
        run -1 --separate-stderr bash -c 'cat in | gsort -c'
        [[ $stderr == *":$at: disorder: 0 after "* ]]
    done
}

@test "gsort's own output passes, in every direction" {
    keygen zipf 300007 >in
    for options in "" -r -u "-r -u"; do
        # shellcheck disable=SC2086  # options are words
        gsort $options in -o out
        # shellcheck disable=SC2086  # options are words
        run -0 --separate-stderr gsort -c $options out
    done
}

@test "standard input is named - in the message" {
    keys 2 1 >in
    run -1 --separate-stderr bash -c 'gsort -c <in'
    [[ $stderr == "gsort: -:1: disorder: 1 after "* ]]
    run -1 --separate-stderr bash -c 'cat in | gsort -c -'
    [[ $stderr == "gsort: -:1: disorder: 1 after "* ]]
}

@test "a check of a file on standard input starts at its offset" {
    keys 9 1 2 3 >in
    run -0 --separate-stderr bash -c '{ dd bs=4 count=1 of=/dev/null status=none; gsort -c; } <in'
}

@test "an error in a check is status 2, not 1" {
    run -2 --separate-stderr gsort -c no-such-file
    assert_trouble no-such-file
    run -2 --separate-stderr gsort -c .
    assert_trouble "irectory"
    printf 'abcde' >odd
    run -2 --separate-stderr gsort -c odd
    assert_trouble odd 5
    run -2 --separate-stderr bash -c 'printf abcde | gsort -c'
    assert_trouble 5
}

@test "a check changes neither the file nor the directory" {
    keys 3 2 1 >in
    chmod 444 in
    cp in in.old
    run -1 gsort -c in
    assert_same in.old in
    assert_only in in.old
}

# starts_two ARG...: does gsort start a second thread, besides the one that shows progress?
starts_two()
{
    env LD_PRELOAD="$FAULTS" GSORT_FAULT="thread 11 2" GSORT_FAULT_MARK=mark "$GSORT" "$@"
    [ -e mark ]
}

@test "a large file is checked by several threads if there are several processors" {
    require_plain_build # its runtime comes before a library that is preloaded
    [ "$(nproc)" -ge 2 ] || skip "one processor"
    keygen sorted 4M >in
    run ! starts_two --parallel=1 -c in
    starts_two -c in
}
