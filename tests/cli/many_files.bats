# Several files are sorted together.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 100003 >a
    keygen gaussian 50001 >b
    keygen few 7 >c
    : >empty
}

@test "three files are sorted together" {
    assert_sorts a b c
    assert_sorts -r -u a b c
}

@test "the same file twice counts twice" {
    assert_sorts a a
    assert_sorts -u a a
}

@test "empty files among them" {
    assert_sorts empty a empty b empty
    assert_sorts empty empty
}

@test "standard input among them" {
    reference a b c >wanted
    gsort a - c <b >got
    assert_same wanted got
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat b | gsort a - c >got
    assert_same wanted got
}

@test "- twice: the second one finds standard input at its end" {
    reference a >wanted
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat a | gsort - - >got
    assert_same wanted got
}

@test "200 files" {
    local -a files=()
    for i in {1..200}; do
        keygen uniform "$i" --seed="$i" >"f$i"
        files+=("f$i")
    done
    assert_sorts "${files[@]}"
}

@test "more files than a process may have mappings" {
    local limit
    limit=$(</proc/sys/vm/max_map_count)
    [ "$limit" -le 100000 ] || limit=20000 # too many to try; gsort reads those beyond 16384
    ulimit -S -s 65536 || skip "no room for so many arguments here"
    keygen uniform 100 >in
    split -b 4 in part
    local -a parts=(part*) files=()
    [ "${#parts[@]}" -eq 100 ]
    while [ "${#files[@]}" -le "$limit" ]; do
        files+=("${parts[@]}")
    done
    reference "${files[@]}" >wanted
    gsort "${files[@]}" -o got
    assert_same wanted got
    gsort -u -m "${files[@]}" -o got
    reference -u in >wanted
    assert_same wanted got
}

@test "a merge of more files than a process may have mappings, and larger than -S" {
    is_expensive || skip "takes long: GSORT_EXPENSIVE=1"
    local limit
    limit=$(</proc/sys/vm/max_map_count)
    [ "$limit" -le 100000 ] || skip "too many to try"
    keygen uniform 64 | reference /dev/stdin >f
    ulimit -S -s 65536 || skip "no room for so many arguments here"
    local -a files=()
    mapfile -t files < <(yes f | head -n $((limit + 2000)))
    gsort -u -m -S 1M -T . "${files[@]}" -o got
    reference -u f >wanted
    assert_same wanted got
    head -c 100 f >part
    gsort -m -S 1M -T . part "${files[@]:0:20000}" part -o got
    gsort part "${files[@]:0:20000}" part -o wanted
    assert_same wanted got
}

@test "a file of odd length is refused although the sum is a multiple of 4" {
    printf 'ab' >odd1
    printf 'cd' >odd2
    run -2 --separate-stderr gsort a odd1 odd2 -o out
    assert_trouble odd1
    [ ! -e out ]
}

@test "300 files, larger than -S: no madvise on each file for each part of the sample" {
    local -a files=()
    require_strace
    keygen uniform 3000000 >all
    split -b 40000 all part
    files=(part*)
    [ "${#files[@]}" -eq 300 ]
    strace -f -e trace=madvise -o calls "$GSORT" -S 4M -T . "${files[@]}" -o out
    reference all >wanted
    assert_same wanted out
    [ "$(wc -l <calls)" -lt 3000 ]
}
