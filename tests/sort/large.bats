# More than 2^32 keys are sorted: all counts have 64 bits. Expensive: 17 GB on disk, twice.
# SPDX-License-Identifier: MIT

load ../helper

# bats test_tags=expensive
@test "2^32 + 1 keys, checked by --verify and by -c" {
    require_gigabytes
    keygen uniform 4294967297 >in
    gsort --verify in -o out
    [ "$(wc -c <out)" -eq 17179869188 ]
    gsort -c out
}
