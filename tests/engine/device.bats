# The shared-memory engines run on the device requested, or say why not.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 2000 >in
    reference in >wanted
}

@test "engines run on the CPU with --device=cpu, and auto for a few keys" {
    for engine in atomicmin reduction hybrid; do
        for device in cpu auto; do
            run -0 --separate-stderr "$GSORT" --device=$device -e $engine --stats=json in -o out
            assert_same wanted out
            [[ $stderr == *'"device": "cpu"'* ]] # too few keys to start a GPU for
            [[ $stderr =~ \"reason\":\ \"[^\"]+\" ]]
        done
    done
}

@test "engines with --device=gpu without a usable GPU are refused" {
    if "$GSORT" --device=gpu </dev/null >/dev/null 2>&1; then
        skip "there is a usable GPU here"
    fi
    for engine in atomicmin reduction hybrid; do
        for n in 0 2000; do
            keygen uniform "$n" >in
            run -2 --separate-stderr "$GSORT" --device=gpu -e $engine in -o out
            assert_trouble
            [[ ${stderr,,} == *gpu* ]]
            assert_only in wanted
        done
    done
}

@test "engines with --device=gpu report the GPU and its stages" {
    require_gpu
    for engine in atomicmin reduction hybrid; do
        run -0 --separate-stderr "$GSORT" --device=gpu -e $engine --stats in -o out
        assert_same wanted out
        [[ $stderr =~ device\ +gpu ]]
        for row in start upload "sort lists" "merge lists" download; do
            [[ $stderr =~ $row\ +gpu\ +[0-9] ]]
        done
    done
}
