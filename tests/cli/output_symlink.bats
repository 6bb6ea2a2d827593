# -o through a symbolic link replaces or creates the link's target, and keeps the link.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 50001 >in
    reference in >wanted
}

@test "the target of a link is replaced, and the link stays" {
    echo old >target
    ln -s target link
    gsort in -o link
    [ -L link ]
    [ "$(readlink link)" = target ]
    [ ! -L target ]
    assert_same wanted target
    assert_only in wanted link target
}

@test "a chain of links into another directory" {
    mkdir dir
    echo old >dir/target
    ln -s target dir/second
    ln -s dir/second first
    gsort in -o first
    [ -L first ]
    [ -L dir/second ]
    assert_same wanted dir/target
    assert_only in wanted first dir dir/second dir/target
}

@test "a dangling link creates its target" {
    mkdir dir
    ln -s dir/target link
    gsort in -o link
    [ -L link ]
    assert_same wanted dir/target
    assert_only in wanted link dir dir/target
}

@test "as many links as the system follows" {
    ln -s target l1
    for i in {2..40}; do
        ln -s "l$((i - 1))" "l$i"
    done
    gsort in -o l40
    assert_same wanted target
}

@test "a loop of links is refused" {
    ln -s b a
    ln -s a b
    run -2 --separate-stderr gsort in -o a
    assert_trouble a
    [ -L a ]
}

@test "a dangling link into a directory that does not exist is refused" {
    ln -s missing/target link
    run -2 --separate-stderr gsort in -o link
    assert_trouble link
    [ -L link ]
}
