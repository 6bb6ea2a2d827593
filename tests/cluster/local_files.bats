# With --local, no two ranks have the same file, whatever its names.
# SPDX-License-Identifier: MIT

load ranks

setup()
{
    enter_ranks
    end_at_once
    keygen uniform 1000 >in-0
    keygen uniform --seed=2 1000 >in-1
    keygen uniform --seed=3 1000 >in-2
}

# refused WORD ARG...: by three ranks, in one line with this word and `same file`; nothing appears.
refused()
{
    local -a before after
    before=(* .[!.]*)
    run --separate-stderr ranks 3 "${@:2}"
    assert_one_line "$1" "the same file"
    after=(* .[!.]*)
    [ "${before[*]}" = "${after[*]}" ]
}

@test "one name for all ranks of a host" {
    cp in-0 "in-$(uname -n)"
    refused "out-$(uname -n)" --local in-%r -o out-%h
    refused "in-$(uname -n)" --local in-%h -o out-%r
}

@test "inputs with other names: links, hard or not, of files and directories, and other paths" {
    rm in-2
    ln in-1 in-2
    refused in-2 --local in-%r -o out-%r
    ln -sf in-0 in-2
    refused in-2 --local in-%r -o out-%r
    mkdir dir-0 dir-1
    mv in-0 dir-0/in
    mv in-1 dir-1/in
    ln -s "$PWD/dir-0" dir-2
    refused dir-2/in --local dir-%r/in -o out-%r
    refused dir-1/../dir-0/in --local dir-%r/in dir-%r/../dir-0/in -o out-%r
}

@test "a FIFO, which nobody writes to" {
    rm in-1 in-2
    mkfifo in-1
    ln in-1 in-2
    refused in-2 --local in-%r -o out-%r
}

@test "outputs with other names: links, one of which points nowhere, and directories" {
    ln -s out out-0
    ln -s out out-1
    refused out-1 --local in-%r -o out-%r
    echo old >out
    refused out-1 --local in-%r -o out-%r
    mkdir dir-0 dir-1
    ln -s dir-1 dir-2
    refused dir-2/out --local in-%r -o dir-%r/out
    grep -q old out
}

@test "one host's file that another has, too" {
    ln -f in-0 in-2
    run --separate-stderr hosts 3 --local in-%r -o out-%r
    assert_one_line in-2 "the same file"
    keygen uniform --seed=3 1000 >in-3
    mv in-3 in-2
    ln -s out out-1
    ln -s out out-2
    run --separate-stderr hosts 3 --local in-%r -o out-%r
    assert_one_line out-2 "the same file"
    assert_only agent in-0 in-1 in-2 out-1 out-2
    rm out-1 out-2
    cat in-? | reference >wanted
    hosts 3 --local in-%r -o out-%r
    cat out-? | cmp - wanted
}

@test "what is not the same: one name in several directories, links that are replaced, /dev/null" {
    cat in-0 in-1 | reference >wanted
    mkdir dir-0 dir-1 dir-2
    rm in-2
    ln -s /dev/null in-2
    ranks 3 --local in-%r -o dir-%r/out
    cat dir-?/out | cmp - wanted
    rm in-1
    ln -s /dev/null in-1
    reference in-0 >wanted
    echo old >out-0
    ln out-0 out-1
    ln out-0 out-2
    ranks 3 --local in-%r -o out-%r
    cat out-? | cmp - wanted
}

@test "an output of one rank that is an input of another" {
    cat in-? | reference >wanted
    ln -s in-1 out-0
    ln -s in-2 out-1
    ranks 3 --local in-%r -o out-%r
    cat out-? | cmp - wanted
    [ -L out-0 ]
}
