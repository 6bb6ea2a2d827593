# --verify proves the output, with other options, from files and pipes.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen zipf 300007 >in
}

@test "--verify in every direction" {
    for options in "" -r -u "-r -u"; do
        # shellcheck disable=SC2086  # options are words
        assert_sorts $options +--verify in
        # shellcheck disable=SC2086  # options are words
        reference $options in >wanted
        # shellcheck disable=SC2086  # options are words
        gsort --verify $options in -o out
        assert_same wanted out
    done
}

@test "--verify of various distributions" {
    for dist in uniform sorted reversed equal max-keys two-clusters all-but-one sorted-but-last; do
        keygen "$dist" 200001 >in2
        # With --device=gpu: each distribution once, the options in turn.
        take_turns "" -u
        for options in "${TURNS[@]}"; do
            reference ${options:+"$options"} in2 >wanted
            gsort --verify ${options:+"$options"} in2 -o out
            assert_same wanted out
        done
    done
}

@test "--verify of 0, 1 and 2 keys" {
    for n in 0 1 2; do
        keygen uniform "$n" >in2
        assert_sorts +--verify in2
    done
}

@test "--verify from pipe to pipe" {
    reference in >wanted
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | gsort --verify | cat >got
    assert_same wanted got
    reference -r -u in >wanted
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat in | gsort --verify -r -u | cat >got
    assert_same wanted got
}

@test "--verify of appended output" {
    reference in >wanted
    printf 'head' >got
    gsort --verify in >>got
    { printf 'head' && cat wanted; } >wanted2
    assert_same wanted2 got
}

@test "--verify in place" {
    reference in >wanted
    gsort --verify in -o in
    assert_same wanted in
}

@test "--verify of several files" {
    keygen few 1001 >in2
    assert_sorts +--verify in in2 in
    assert_sorts -u +--verify in in2 in
}

@test "--stats has a row for verify" {
    gsort --verify --stats in -o out 2>text
    grep -Eq '^verify +cpu +[0-9]' text
}
