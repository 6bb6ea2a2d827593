# The output is the same for every number of threads, samples and bins.
# SPDX-License-Identifier: MIT

load ../helper

@test "--parallel from 1 to 64" {
    keygen gaussian 500003 >in
    for threads in 1 2 3 4 7 64; do
        assert_sorts "+--parallel=$threads" in
    done
}

@test "--bins from 1 to the largest number" {
    keygen exponential 300001 >in
    for bins in 1 2 3 5 64 1000 4096; do
        assert_sorts "+--bins=$bins" +--engine=samplesort in
    done
}

@test "--samples from 1 to more than there are keys" {
    keygen zipf 100003 >in
    for samples in 1 2 100 5000 1000000; do
        assert_sorts "+--samples=$samples" +--engine=samplesort in
    done
    keygen zipf 1003 >in # one bin
    for samples in 1 100 5000; do
        assert_sorts "+--samples=$samples" +--engine=samplesort in
    done
}

@test "--engine=samplesort on inputs too small to need it" {
    for n in 0 1 2 3 10 100 1000; do
        keygen uniform "$n" >in
        assert_sorts +--engine=samplesort in
    done
}

@test "-e auto and --engine=auto are the default" {
    keygen uniform 10001 >in
    assert_sorts +-eauto in
    assert_sorts +--engine=auto in
}

@test "the same input gives the same bins in every run" {
    keygen zipf 400000 >in
    for i in 1 2 3; do
        gsort --stats=json in -o out 2>"stats.$i"
        grep -Eo '"(largest_bin|bins|equality_bins|equality_keys)": *[0-9]+' "stats.$i" >"bins.$i"
    done
    [ -s bins.1 ]
    assert_same bins.1 bins.2
    assert_same bins.1 bins.3
}
