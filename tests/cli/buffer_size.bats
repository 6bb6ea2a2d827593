# -S takes sizes as sort(1) does; input that does not fit is sorted through temporary files.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 100003 >in
    reference in >wanted
}

@test "sizes with suffixes or percent that are large enough" {
    for size in 1G 1g 512M 524288 600000k 1T 1P 1E 50% 100% 1073741824b 2000000000b; do
        gsort -S "$size" in -o out
        assert_same wanted out
        rm out
    done
    gsort --buffer-size=1G in -o out
    assert_same wanted out
    gsort -S1G in -o out
    assert_same wanted out
}

# assert_same_plan A B: two plans are alike, but for what depends on the moment.
assert_same_plan()
{
    diff <(sed '/ now$/d; /^time/d; s/ ([^)]* free)//' "$1") \
        <(sed '/ now$/d; /^time/d; s/ ([^)]* free)//' "$2")
}

@test "the largest of several counts" {
    gsort --plan -S 64M in >one
    gsort --plan -S 32M -S 64M -S 1M in >several
    assert_same_plan one several
    gsort -S 1b -S 1G -S 0 in -o out
    assert_same wanted out
}

@test "0 is the smallest size, not no limit" {
    keygen uniform 1M >large
    gsort --plan -S 1b large >one
    gsort --plan -S 0 large >none
    assert_same_plan one none
    grep -q 'external sort$' none
}

@test "arguments that are not sizes are refused" {
    for size in "" x 1x 1.G 1.5Gi -1 -1G % -5% 1%% 0x10 1GG "1 G" 1e9 101% 200%; do
        run -2 --separate-stderr gsort -S "$size" in -o out
        [ -z "$output" ]
        [[ $stderr == *gsort:\ * ]]
        [ ! -e out ]
    done
}

@test "sizes too large for any machine are accepted or refused, never wrapped around" {
    for size in 16E 17E 1Z 1Y 99999999999999999999 18446744073709551616b; do
        run --separate-stderr gsort -S "$size" in -o out
        [ "$status" -eq 0 ] || [ "$status" -eq 2 ]
        if [ "$status" -eq 0 ]; then
            assert_same wanted out
        else
            [[ $stderr == *gsort:\ * ]]
            [ ! -e out ]
        fi
        rm -f out
    done
}

@test "no size is too small for a few keys, as in sort(1)" {
    keygen uniform 1000 >few
    for size in 0 1b 1k; do
        assert_sorts "+-S$size" few
    done
}

@test "an input larger than -S is sorted through temporary files" {
    keygen uniform 4000000 >big
    reference big >wanted
    mkdir tmp
    gsort -S 1M -T tmp big -o out
    assert_same wanted out
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat big | gsort -S 1M -T tmp >got
    assert_same wanted got
    [ -z "$(ls -A tmp)" ]
}

@test "the default leaves a quarter of the memory free" {
    total=$(awk '$1 == "MemTotal:" { printf "%.0f", $2 * 1024 }' /proc/meminfo)
    limit=$(gsort --plan in | awk '$1 == "memory" { print $5 }')
    [ "$limit" -le $((total * 3 / 4)) ]
    require_plain_build
    limit=$(ulimit -v 1000000 && "$GSORT" --plan in | awk '$1 == "memory" { print $5 }')
    [ "$limit" -le 768000000 ]
}

@test "a small size is enough to check a file of any size" {
    keygen sorted 4000000 >big
    gsort -S 1M -c big
}
