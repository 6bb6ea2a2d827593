# --files0-from: the names of the inputs come from a file.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 5003 >a
    keygen gaussian 501 >"b
c"
    keygen few 7 >-d
    : >empty
    reference a $'b\nc' ./-d empty >wanted
}

@test "the files of a list are sorted together, whatever their names" {
    printf '%s\0' a $'b\nc' -d empty >list
    gsort --files0-from=list -o got
    assert_same wanted got
    printf '%s\0%s\0%s\0%s' a $'b\nc' -d empty | gsort --files0-from=- >got
    assert_same wanted got
}

@test "a list may name standard input, if it is not read from there" {
    printf '%s\0' - $'b\nc' -d >list
    gsort --files0-from=list <a >got
    assert_same wanted got
}

@test "-m, -c and --plan take a list" {
    printf '%s\0' a $'b\nc' >list
    run -1 --separate-stderr gsort -c --files0-from=list
    [[ $stderr == *"a:"*disorder* ]]
    reference a >s
    reference $'b\nc' >t
    printf 's\0t\0' >list
    reference s t >wanted
    gsort -m --files0-from=list >got
    assert_same wanted got
    gsort --plan --files0-from=list | grep -q 5504
}

@test "more names than a command line holds" {
    printf '././././././././././././././././././././././././././././././././././/-d%.0s\0' \
        {1..40000} >list
    [ "$(wc -c <list)" -gt 2500000 ]
    gsort -u --files0-from=list >got
    reference -u ./-d >wanted
    assert_same wanted got
}

@test "what sort(1) refuses is refused" {
    printf 'a\0' >list
    run -2 --separate-stderr gsort --files0-from=list a -o out
    assert_trouble "extra operand 'a'" files0-from
    run -2 --separate-stderr gsort --files0-from=empty -o out
    assert_trouble "no input from 'empty'"
    printf 'a\0\0a\0' >list
    run -2 --separate-stderr gsort --files0-from=list -o out
    assert_trouble "list:2: invalid zero-length file name"
    run -2 --separate-stderr gsort --files0-from=- -o out < <(printf 'a\0-\0')
    assert_trouble "-:2:" "'-'"
    run -2 --separate-stderr gsort --files0-from=nowhere -o out
    assert_trouble nowhere "No such file"
    run -2 --separate-stderr gsort --files0-from=. -o out
    assert_trouble . "directory"
    printf 'a\0nowhere\0' >list
    run -2 --separate-stderr gsort --files0-from=list -o out
    assert_trouble "nowhere: cannot read: No such file"
    [ ! -e out ]
}

@test "two lists are refused" {
    printf 'a\0' >list
    run -2 --separate-stderr gsort --files0-from=list --files0-from=empty -o out
    assert_trouble "multiple lists"
    [ ! -e out ]
}
