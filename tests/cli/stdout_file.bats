# A regular file on standard output is written at its offset, or at its end with >>.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 100003 >a
    keygen gaussian 70001 >b
    reference a >wanted.a
    reference b >wanted.b
    cat wanted.a wanted.b >wanted
}

@test "> FILE writes a new file" {
    gsort a >got
    assert_same wanted.a got
}

@test ">> FILE appends" {
    gsort a >got
    gsort b >>got
    assert_same wanted got
}

@test ">> FILE appends after a number of bytes that is not a multiple of 4" {
    printf 'abc' >got
    gsort a >>got
    { printf 'abc' && cat wanted.a; } >wanted
    assert_same wanted got
}

@test "(gsort a; gsort b) > FILE writes both outputs" {
    (
        gsort a
        gsort b
    ) >got
    assert_same wanted got
}

@test "the offset is behind the output afterwards" {
    {
        printf 'head'
        gsort a
        printf 'tail'
    } >got
    { printf 'head' && cat wanted.a && printf 'tail'; } >wanted
    assert_same wanted got
}

@test "1<> FILE overwrites in place and truncates nothing" {
    head -c 1000000 /dev/zero >got
    gsort a 1<>got
    [ "$(wc -c <got)" -eq 1000000 ]
    head -c 400012 got >start
    assert_same wanted.a start
    [ "$(tail -c +400013 got | tr -d '\000' | wc -c)" -eq 0 ]
}

@test "-r -u >> FILE appends" {
    reference -r -u a >wanted
    printf 'x' >got
    gsort -r -u a >>got
    { printf 'x' && cat wanted; } >wanted2
    assert_same wanted2 got
}

@test "a large output, and a large one appended" {
    keygen zipf 3000001 >big
    reference big >wanted.big
    gsort big >got
    gsort big >>got
    cat wanted.big wanted.big >wanted
    assert_same wanted got
}

@test "input and output are the same file: the input is not truncated" {
    cp a got
    gsort got 1<>got
    assert_same wanted.a got
    # Sorted and reversed inputs are copied while they are read.
    keygen reversed 600001 >got
    reference got >wanted
    gsort got 1<>got
    assert_same wanted got
    # shellcheck disable=SC2094  # in place is what is tested
    gsort -r <got 1<>got
    gsort -c -r got
}
