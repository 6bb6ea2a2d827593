# The output may be one of the inputs: by name, by symbolic link, by hard link.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 300007 >a
    keygen narrow 1001 >b
    cp a a.old
    reference a >wanted
}

@test "the output is an input by name" {
    gsort a -o a
    assert_same wanted a
    assert_only a a.old b wanted
}

@test "the output is an input by another spelling of its name" {
    gsort "$PWD/a" -o ./a
    assert_same wanted a
}

@test "by symbolic link, as output or as input" {
    ln -s a link
    gsort a -o link
    assert_same wanted a
    [ -L link ]
    cp a.old a
    gsort link -o a
    assert_same wanted a
}

@test "by hard link: the output's name gets the sorted keys, the other keeps the old ones" {
    ln a other
    gsort a -o other
    assert_same wanted other
    assert_same a.old a
    [ "$(stat -c %h a)" = 1 ]
}

@test "the output is one of several inputs" {
    reference a b >wanted
    gsort a b -o b
    assert_same wanted b
    assert_same a.old a
}

@test "the output is on standard input" {
    # shellcheck disable=SC2094  # in place is what is tested
    gsort -o a <a
    assert_same wanted a
}

@test "twice in place, the second time sorted already" {
    gsort a -o a
    gsort a -o a
    assert_same wanted a
    gsort -r a -o a
    reference -r a.old >wanted
    assert_same wanted a
}

@test "-u shortens the file" {
    reference -u b >wanted
    gsort -u b -o b
    assert_same wanted b
}

# SMB servers may refuse to replace a file that is in use, and so does tests/faults/shim.c here.
@test "no input that is the output is in use when it is replaced" {
    [ -e "${FAULTS:-}" ] || skip "FAULTS is not set: make check sets it"
    require_plain_build
    reference a b >both
    reference b >b.sorted
    export GSORT_FAULT_BUSY=1
    local -x LD_PRELOAD
    for option in --verify --unique --direct --parallel=1; do
        cp a.old a
        LD_PRELOAD=$FAULTS gsort "$option" a -o a
        cp a.old a
        # shellcheck disable=SC2094  # in place is what is tested
        LD_PRELOAD=$FAULTS gsort "$option" -o a <a
    done
    assert_same wanted a
    cp a.old a
    LD_PRELOAD=$FAULTS gsort b a -o a
    assert_same both a
    cp wanted a
    LD_PRELOAD=$FAULTS gsort -m a b.sorted a -o a
    reference wanted b wanted | cmp - a
    cp wanted a
    # shellcheck disable=SC2094  # in place is what is tested
    LD_PRELOAD=$FAULTS gsort -m -o a - b.sorted <a
    assert_same both a
}

@test "other inputs keep their bytes and times" {
    chmod 444 a b
    touch -d '2001-02-03 04:05:06' a b
    gsort a b -o out
    gsort a b >out2
    assert_same a.old a
    [ "$(stat -c %Y:%a a)" = "$(stat -c %Y:%a b)" ]
    [ "$(stat -c %y a | cut -c1-19)" = "2001-02-03 04:05:06" ]
}
