# -T names a directory for temporary files: it must exist, and nothing is left in it.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 300007 >in
    reference in >wanted
    mkdir tmp
}

@test "-T with a directory" {
    gsort -T tmp in -o out
    assert_same wanted out
    gsort --temporary-directory=tmp in >got
    assert_same wanted got
    [ -z "$(ls -A tmp)" ]
}

@test "-T with a directory that does not exist is refused" {
    run -2 --separate-stderr gsort -T missing in -o out
    assert_trouble missing "No such file"
    run -2 --separate-stderr gsort -T '' in -o out
    assert_trouble "-T ''" "No such file"
    [ ! -e out ]
}

@test "-T with a file is refused" {
    run -2 --separate-stderr gsort -T in in -o out
    assert_trouble in "Not a directory"
    [ ! -e out ]
}

@test "-T with a directory that may not be written is refused" {
    require_nobody
    mkdir -m 555 closed
    keygen uniform 10 >in
    chmod 777 .
    run -2 --separate-stderr as_nobody "$GSORT" -T closed in -o out
    assert_trouble closed "Permission denied"
    chmod 666 closed # writable, but not searchable
    run -2 --separate-stderr as_nobody "$GSORT" -T closed in -o out
    assert_trouble closed "Permission denied"
    [ ! -e out ]
}

@test "an empty TMPDIR is ignored" {
    TMPDIR='' gsort -S 64K in -o out
    assert_same wanted out
    TMPDIR='' gsort --device=cpu --plan -S 64K in | grep -q ' in /tmp '
}

@test "the output's temporary is in the output's directory, whatever -T says" {
    [ -d /dev/shm ] && [ -w /dev/shm ] || skip "no second file system here"
    gsort -T /dev/shm in -o out
    assert_same wanted out
}
