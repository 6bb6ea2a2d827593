# An old build directory serves a changed tree: what has to be compiled again is, and nothing else.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    require_clone
    clone_tree tree
    cd tree || return
    export CUDA=0 HIGHWAY=0 FUSE=0 MPI=0 CFLAGS=-O0
    room=build/cuda0-highway0/w64/sort/width.o
    object=build/cuda0-highway0/cli/row.o
    version=build/cuda0-highway0/cli/version.o
}

# compiles WANTED FILE...: make FILEs; only WANTED, which may be empty, is compiled for that.
compiles()
{
    local said
    said=$(make -s "${@:2}" V=0 | awk '{ print $2 }' | xargs)
    [ "$said" = "$1" ] || {
        echo "compiled: '$said', not '$1'" >&2
        return 1
    }
}

# adds NAME: the room gets a file that defines NAME, and so does its object.
adds()
{
    printf 'extern int %s;\nint %s;\n' "$1" "$1" >"sort/width/$1.c"
    compiles "$room" "$room"
    nm "$room" | grep -q "$1"
    compiles "" "$room"
}

@test "a room that is compiled as one file: another name, another file, one less, another header" {
    compiles "$room" "$room"
    compiles "" "$room"
    local files=(sort/width/*.c)
    mv "${files[0]}" sort/width/renamed.c
    compiles "$room" "$room"
    compiles "" "$room"

    adds a_first_file
    adds z_last_file
    rm sort/width/a_first_file.c
    compiles "$room" "$room"
    run ! grep -q a_first_file <(nm "$room")
    compiles "" "$room"

    touch -d '+1 minute' common/formats/keys.h
    compiles "$room" "$room"
}

@test "a room that the Makefile does not name is in the program" {
    mkdir sort/attic
    printf 'extern int gs_attic;\nint gs_attic;\n' >sort/attic/attic.c
    compiles build/cuda0-highway0/sort/attic/attic.o build/cuda0-highway0/sort/attic/attic.o
    make -n all | grep ' -o build/cuda0-highway0/gsort$' | grep -q sort/attic/attic.o
}

@test "another commit compiles one file" {
    compiles "$version $object" "$version" "$object"
    compiles "" "$version" "$object"
    git -c user.name=a -c user.email=a@b commit -q --allow-empty -m another
    compiles "$version" "$version" "$object"
}

@test "other flags compile everything, those behind a comma, too" {
    compiles "$object" "$object" CPPFLAGS=-DA=1,2
    compiles "" "$object" CPPFLAGS=-DA=1,2
    compiles "$object" "$object" CPPFLAGS=-DA=1,3
}
