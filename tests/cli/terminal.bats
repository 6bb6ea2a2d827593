# gsort does not write keys to a terminal.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 100 >in
    require_terminal
}

# on_terminal COMMAND: run it with a terminal as standard output and error, recorded in `typed`.
on_terminal()
{
    script -q -e -c "$1" typed </dev/null >/dev/null
}

@test "a terminal on standard output is refused before any work" {
    run -2 on_terminal '"$GSORT" in'
    grep -q terminal typed
    [ "$(wc -c <typed)" -lt 600 ]
}

@test "a terminal named by -o is refused" {
    run -2 on_terminal '"$GSORT" in -o /dev/tty'
    grep -q terminal typed
}

@test "-c, --help and -o to a file work on a terminal" {
    reference in >sorted
    run -0 on_terminal '"$GSORT" -c sorted'
    run -0 on_terminal '"$GSORT" --help'
    run -0 on_terminal '"$GSORT" in -o out'
    assert_same sorted out
}
