# An old build directory serves a changed tree: what has to be compiled again is, and nothing else.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    without_gpu "no gsort runs here"
    require make
    require git
    git -C "$ROOT" rev-parse --verify -q HEAD >/dev/null || skip "not in a clone"
    git clone -q --no-hardlinks --depth 1 "file://$ROOT" tree
    cd tree
    unset MAKEFLAGS MFLAGS MAKELEVEL
    export CUDA=0 HIGHWAY=0 FUSE=0 MPI=0 CFLAGS=-O0
    B=build/cuda0-highway0
}

build()
{
    make -s V=1 "$@"
}

@test "a room that is compiled as one file: another name, another file, another header" {
    build $B/sort/tags.o $B/w64/sort/width.o
    build -q $B/w64/sort/width.o
    first=$(echo sort/width/*.c)
    git mv "$first" sort/width/renamed.c
    build $B/w64/sort/width.o
    grep -q 'sort/width/renamed.c' $B/w64/sort/width.c

    printf 'int gs_added;\n' >sort/width/added.c
    build $B/w64/sort/width.o
    nm $B/w64/sort/width.o | grep -q gs_added
    build -q $B/w64/sort/width.o

    touch -d +1minute common/keys.h
    run -1 build -q $B/w64/sort/width.o
}

@test "another commit compiles one file" {
    build $B/cli/version.o $B/cli/human.o
    build -q $B/cli/version.o
    git -c user.name=a -c user.email=a@b commit -q --allow-empty -m another
    build -q $B/cli/human.o
    run -1 build -q $B/cli/version.o
}

@test "other flags compile everything" {
    build $B/cli/human.o
    CFLAGS='-O0 -DA,B' run -1 build -q $B/cli/human.o
}
