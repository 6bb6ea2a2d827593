# A file that is not in the page cache is read sequentially, not in the order of sampling.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    require_strace
    enter_directory
    keygen uniform 2097152 >in
    reference in >wanted
    sync in
}

# asked ARG...: print how often gsort asks the kernel to read pages of files ahead.
asked()
{
    strace -f -qq -e trace=madvise -o trace "$GSORT" --device=cpu "$@" >&2
    grep -c MADV_WILLNEED trace || true
}

@test "a file on the disk, alone or among others, is read ahead" {
    require_disk
    drop_cache in
    [ "$(asked in -o out)" -eq 64 ]
    assert_same wanted out
    drop_cache in
    [ "$(asked wanted - in -o out </dev/null)" -eq 64 ]
    reference in wanted | cmp - out
}

@test "a file in the page cache, a small file and a pipe are not read ahead" {
    cat in >out
    [ "$(asked in -o out)" -eq 0 ]
    assert_same wanted out
    head -c 40000 in >small
    sync small
    drop_cache small
    [ "$(asked small -o out)" -eq 0 ]
    [ "$(asked - -o out < <(cat in))" -eq 0 ]
    assert_same wanted out
}

@test "--stats reports what was read ahead" {
    require_disk
    drop_cache in
    gsort --device=cpu --stats in -o out 2>err
    awk '$1 == "read" && $5 > 0 { found = 1 } END { exit !found }' err
    assert_same wanted out
    gsort --device=cpu --stats in -o out 2>err
    awk '$1 == "read" && $5 > 0 { found = 1 } END { exit found }' err
}
