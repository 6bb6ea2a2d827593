# A check of a pipe needs little memory and stops at the first disorder.
# SPDX-License-Identifier: MIT

load ../helper

@test "the check of an endless pipe ends at an early disorder" {
    run -1 --separate-stderr bash -c \
        '{ keys 1 2 3; cat /dev/zero; } | timeout 120 "$GSORT" -c; exit "${PIPESTATUS[1]}"'
    [[ $stderr == "gsort: -:3: disorder: 0 after "* ]]
}

@test "the check of an endless device ends at an early disorder" {
    run -1 --separate-stderr timeout 120 "$GSORT" -c -u /dev/zero
    [[ $stderr == "gsort: /dev/zero:1: disorder: 0 after "* ]]
}

@test "a disorder is reported before more input arrives" {
    mkfifo fifo
    exec 7<>fifo
    keys 5 4 >&7
    run -1 --separate-stderr timeout 120 "$GSORT" -c fifo
    [[ $stderr == "gsort: fifo:1: disorder: 4 after "* ]]
    exec 7>&-
}

@test "a disorder between two reads of a pipe that cut a key in two" {
    keys 1 2 >low
    keys 1 >end
    run -1 --separate-stderr bash -c \
        '{ head -c 6 low; sleep 0.1; tail -c +7 low; sleep 0.1; cat end; } | gsort -c'
    [[ $stderr == "gsort: -:2: disorder: 1 after "* ]]
}

@test "512 MiB through a pipe within 400,000 KiB of address space" {
    require_plain_build
    run -0 bash -c 'keygen sorted 128M | {
        ulimit -v 400000
        exec "$GSORT" --device=cpu -c --parallel=2
    }'
}
