# --device=cpu always works; --device=gpu without a usable GPU is an error that says why.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 100003 >in
    reference in >wanted
}

@test "--device=cpu and --device=auto sort" {
    "$GSORT" --device=cpu in -o out
    assert_same wanted out
    "$GSORT" --device=auto in -o out
    assert_same wanted out
}

@test "--device=gpu without a usable GPU is refused" {
    if "$GSORT" --device=gpu </dev/null >/dev/null 2>&1; then
        skip "there is a usable GPU here"
    fi
    run -2 --separate-stderr "$GSORT" --device=gpu in -o out
    assert_trouble
    [[ ${stderr,,} == *gpu* ]]
    assert_only in wanted
}

@test "the first GPU in CUDA_VISIBLE_DEVICES is used, and none if it names none" {
    "$GSORT" --device=gpu </dev/null >/dev/null 2>&1 || skip "there is no usable GPU here"
    CUDA_VISIBLE_DEVICES=0,63 "$GSORT" --device=gpu in -o out
    assert_same wanted out
    run -2 --separate-stderr env CUDA_VISIBLE_DEVICES= "$GSORT" --device=gpu in -o out
    assert_trouble
    run -2 --separate-stderr env CUDA_VISIBLE_DEVICES=-1,0 "$GSORT" --device=gpu in -o out
    assert_trouble
}

@test "--device=gpu in a build without CUDA says so" {
    "$GSORT" --version | grep -Ei 'without CUDA|CUDA:? *no|no CUDA' >/dev/null ||
        skip "a build with CUDA"
    run -2 --separate-stderr "$GSORT" --device=gpu in -o out
    assert_trouble CUDA
}

@test "--stats names the device that ran" {
    run -0 --separate-stderr "$GSORT" --device=cpu --stats=json in -o out
    [[ $stderr =~ \"device\":\ *\"cpu\" ]]
}
