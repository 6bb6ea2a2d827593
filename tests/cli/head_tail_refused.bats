# --head and --tail: what cannot be meant is refused in one line.
# SPDX-License-Identifier: MIT

load ../helper

refused()
{
    run -2 --separate-stderr gsort "${@:2}" in -o out
    assert_trouble "$1"
    [ ! -e out ]
}

@test "--head and --tail that do not go together, or with others" {
    keygen uniform 100 >in
    refused "options '--head' and '--tail' are incompatible" --head=1 --tail=1
    refused "options '--head' and '--resume' are incompatible" --head=1 --resume
    refused "options '-mu' and '--tail' are incompatible" -m -u --tail=1
    run -2 --separate-stderr gsort -c --head=1 in
    assert_trouble "options '-c' and '--head' are incompatible"
    run -2 --separate-stderr gsort -C --tail=1 in
    assert_trouble "options '-C' and '--tail' are incompatible"
}

@test "an N that is none" {
    keygen uniform 100 >in
    refused "invalid --head argument '-5'" --head=-5
    refused "invalid --tail argument 'x'" --tail=x
    refused "invalid suffix in --head argument '5q'" --head=5q
    refused "--tail argument '99999999999999999999' too large" --tail=99999999999999999999
}
