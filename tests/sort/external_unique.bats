# Under -u, equal keys of a chunk are dropped before it is written to temporary files.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
}

# temporary_bytes STATS: print how much was written to temporary files.
temporary_bytes()
{
    sed -n 's/.*"temporary_bytes": \([0-9]*\).*/\1/p' "$1"
}

@test "of few values, little is written to temporary files, of any width, from files and pipes" {
    local bytes written
    for bytes in 4 8 16; do
        keygen "--type=u$((8 * bytes))" narrow $((12000000 / bytes)) >in
        reference -t u$((8 * bytes)) -u in >wanted
        gsort -t u$((8 * bytes)) -u --verify -S 3M --stats=json in -o out 2>stats
        assert_same wanted out
        written=$(temporary_bytes stats)
        [ "$written" -gt 0 ]
        [ "$written" -lt 2000000 ]
        # shellcheck disable=SC2002  # a pipe is what is tested
        cat in | gsort -t u$((8 * bytes)) -u --verify -S 3M --stats=json -o out 2>stats
        assert_same wanted out
        written=$(temporary_bytes stats)
        [ "$written" -lt 3000000 ]
    done
}

@test "the same bytes with --resume and one thread, and of keys that are rarely equal" {
    keygen narrow 3M >in
    reference -u in >wanted
    gsort -u -S 3M --resume --verify in -o out
    assert_same wanted out
    gsort -u -S 3M --parallel=1 --verify in -o out
    assert_same wanted out
    keygen uniform 3M >in
    reference -u in >wanted
    gsort -u -S 3M --verify in -o out
    assert_same wanted out
}

@test "without -u, and records that are more than their keys, stay" {
    keygen narrow 3M >in
    reference <in >wanted
    gsort -S 3M --verify --stats=json in -o out 2>stats
    assert_same wanted out
    [ "$(temporary_bytes stats)" -gt 3000000 ]
    keygen narrow 500000 --record=16 >in
    reference -R 16 -k 0:u8 -u in >wanted
    gsort -R 16 -k 0:u8 -u -S 3M --verify in -o out
    assert_same wanted out
}
