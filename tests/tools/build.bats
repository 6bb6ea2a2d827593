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
    room=build/cuda0-highway0/w64/sort/width
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

@test "a room that is compiled as one file: another name, another file, another header" {
    compiles "$room.o" "$room.o"
    compiles "" "$room.o"
    local files=(sort/width/*.c)
    mv "${files[0]}" sort/width/renamed.c
    compiles "$room.o" "$room.o"
    grep -q sort/width/renamed.c "$room.c"

    printf 'extern int gs_added;\nint gs_added;\n' >sort/width/added.c
    compiles "$room.o" "$room.o"
    nm "$room.o" | grep -q gs_added
    compiles "" "$room.o"

    touch -d '+1 minute' common/formats/keys.h
    compiles "$room.o" "$room.o"
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
