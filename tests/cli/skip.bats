# --skip: bytes in front of the records are copied, and are not records.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 100000 >keys
    printf '%077d' 1 | cat - keys >in
    gsort keys | cat <(printf '%077d' 1) - >expected
}

@test "files, pipes, temporary files, a file into itself" {
    gsort --skip=77 in -o out && cmp expected out
    gsort --skip=77 --verify in -o out && cmp expected out
    gsort --skip=77 <in >out && cmp expected out
    gsort --skip=77 --verify < <(cat in) | cmp expected -
    gsort --skip=77 -S 1M -T . in -o out && cmp expected out
    gsort --skip=77 -S 1M -T . < <(cat in) | cmp expected -
    cp in out && gsort --skip=77 out -o out && cmp expected out
    gsort --skip=77 -c expected
    gsort --skip=77 --direct in -o out && cmp expected out
}

@test "aligned bytes" {
    printf '%0128d' 1 | cat - keys >in
    gsort keys | cat <(printf '%0128d' 1) - >expected
    gsort --skip=128 in -o out && cmp expected out
    gsort --skip=128 --verify < <(cat in) | cmp expected -
}

@test "of several files, those of the first" {
    printf '%077d' 2 >empty
    gsort --skip=77 in empty -o out && cmp expected out
    gsort -m --skip=77 expected empty -o out && cmp expected out
}

@test "a file that is too short is refused" {
    for word in in "-o out in"; do
        # shellcheck disable=SC2086  # words
        run -2 --separate-stderr gsort --skip=500000 $word
        assert_trouble "in: has less than the 500000 bytes to skip"
        [ ! -e out ]
    done
}
