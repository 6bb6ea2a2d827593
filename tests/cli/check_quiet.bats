# -C, --check=quiet and --check=silent are -c without the message.
# SPDX-License-Identifier: MIT

load ../helper

@test "disorder: status 1, silent" {
    keys 1 3 2 >in
    for option in -C --check=quiet --check=silent; do
        run -1 --separate-stderr gsort "$option" in
        [ -z "$output$stderr" ]
    done
}

@test "in order: status 0, silent" {
    keys 1 2 3 >in
    run -0 --separate-stderr gsort -C in
    [ -z "$output$stderr" ]
    run -0 --separate-stderr gsort -Cr /dev/null
    [ -z "$output$stderr" ]
}

@test "--check=diagnose-first is -c, as in sort(1)" {
    keys 1 3 2 >in
    run -1 --separate-stderr gsort --check=diagnose-first in
    [[ $stderr == "gsort: in:2: disorder: 2 after "* ]]
}

@test "an error is still reported, with status 2" {
    run -2 --separate-stderr gsort -C no-such-file
    assert_trouble no-such-file
}

@test "-C of a pipe with a disorder: silent, status 1" {
    run -1 --separate-stderr bash -c 'keys 2 1 | gsort -C'
    [ -z "$output$stderr" ]
}
