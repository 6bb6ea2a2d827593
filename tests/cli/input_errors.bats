# An input that cannot be sorted is refused in one line that names it, before anything is written.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 1000 >in
    echo old >out
    cp out out.old
}

# refused WORD... -- ARG...: gsort ARG... is refused in a line with each WORD, and keeps the output.
refused()
{
    local -a words=()
    while [ "$1" != -- ]; do
        words+=("$1")
        shift
    done
    run -2 --separate-stderr gsort "${@:2}"
    assert_trouble "${words[@]}" && assert_same out.old out
}

@test "an input file that does not exist" {
    refused no-such-file "No such file" -- no-such-file -o out
    refused no-such-file "No such file" -- in no-such-file -o out
    run -2 --separate-stderr gsort no-such-file
    assert_trouble "gsort: no-such-file: "
}

@test "an input that is a directory" {
    mkdir dir
    refused dir "directory" -- dir -o out
    refused . "directory" -- . -o out
}

@test "an empty input name" {
    refused "gsort: '': " "No such file" -- "" -o out
    refused "gsort: '': " "No such file" -- -c ""
}

@test "an input name below a file" {
    refused in/x "Not a directory" -- in/x -o out
}

@test "a size that is not a multiple of 4: the message names size and remainder" {
    for n in 1 2 3 4095 4097 400001; do
        head -c "$n" /dev/zero >odd
        refused odd "$n" "$((n % 4))" -- odd -o out
        refused odd "$n" -- -c odd
    done
    refused odd 400001 -- in odd -o out
}

@test "an input that may not be read" {
    require_nobody
    keygen uniform 1000 >in
    chmod 000 in
    chmod 777 .
    run -2 --separate-stderr as_nobody "$GSORT" in -o out
    assert_trouble in "Permission denied"
    [ ! -e out ]
}

@test "an input that cannot be read to its end" {
    [ -r /proc/self/mem ] || skip "no /proc/self/mem here"
    refused /proc/self/mem "Input/output error" -- /proc/self/mem -o out
    refused /proc/self/mem "Input/output error" -- -c /proc/self/mem
}

@test "closed standard input" {
    run -2 --separate-stderr bash -c 'gsort -o new <&-'
    assert_trouble "it is closed, or open for the other direction"
    [ ! -e new ]
    run -2 --separate-stderr bash -c 'gsort - <&-'
    assert_trouble "it is closed, or open for the other direction"
}

@test "a directory on standard input" {
    run -2 --separate-stderr bash -c 'gsort -o new <.'
    assert_trouble "irectory"
    [ ! -e new ]
}

@test "standard input open only for writing" {
    run -2 --separate-stderr bash -c 'gsort -o new 0>file'
    assert_trouble "it is closed, or open for the other direction"
    [ ! -e new ]
}

@test "the second input is opened before the first, a slow pipe, is read" {
    mkfifo fifo
    exec 7<>fifo
    run -2 --separate-stderr timeout 120 "$GSORT" fifo no-such-file -o out
    assert_trouble no-such-file
    exec 7>&-
}

@test "a name with control characters is reported in one line" {
    run -2 --separate-stderr gsort $'no\x7fsuch' -o out
    assert_trouble 'no?such'
    run -2 --separate-stderr gsort $'no\nsuch' -o out
    assert_trouble
}
