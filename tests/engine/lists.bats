# --lists takes every power of two up to 256, for the same bytes, and --stats shows what was used.
# SPDX-License-Identifier: MIT

load ../helper

@test "1 to 256 lists, even more lists than keys" {
    local n engine lists
    for n in 1 3 100 1025 4000; do
        keygen gaussian "$n" >in
        for engine in atomicmin reduction hybrid; do
            # With --device=gpu: each size and engine once, the numbers of lists in turn.
            take_few 1 2 4 8 16 32 64 128 256
            for lists in "${TURNS[@]}"; do
                assert_sorts "+--engine=$engine" "+--lists=$lists" in
            done
        done
    done
}

@test "--stats shows the stages, the lists and the bits that vary" {
    keygen low-bits 3000 >in
    for engine in atomicmin reduction hybrid; do
        run -0 --separate-stderr gsort --engine=$engine --lists=16 --stats in -o out
        [[ $stderr =~ engine\ +$engine ]]
        [[ $stderr =~ sort\ lists\ +[cg]pu\ +[0-9] ]]
        [[ $stderr =~ merge\ lists\ +[cg]pu\ +[0-9] ]]
        [[ $stderr =~ lists\ +16,\ 16\ bits\ vary ]]
        [[ $stderr != *"sort bins"* ]]
    done
}

@test "--stats=json has the lists and the bits that vary" {
    keygen equal 3000 >in
    run -0 --separate-stderr gsort -e reduction --lists=8 --stats=json in -o out
    [[ $stderr == *'"lists": {"count": 8, "varying_bits": 0}'* ]]
    [[ $stderr == *'"engine": "reduction"'* ]]
    run -0 --separate-stderr gsort --stats=json in -o out
    [[ $stderr == *'"lists": {"count": 0, "varying_bits": 0}'* ]]
}

@test "--engine=auto never chooses a shared-memory engine" {
    keygen uniform 1000 >in
    run -0 --separate-stderr gsort --stats=json in -o out
    [[ $stderr == *'"engine": "samplesort"'* ]]
    for engine in auto samplesort; do
        run -2 --separate-stderr gsort -e $engine --lists=16 in -o out2
        assert_trouble "--lists is for the engines atomicmin, reduction and hybrid"
    done
}
