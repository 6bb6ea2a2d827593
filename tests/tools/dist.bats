# make dist packs the commit, which it records, and says what it lacks.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    require_clone
    clone_tree clone
    export CUDA=0 HIGHWAY=0 FUSE=0
}

@test "the tarball knows the commit that it was made of" {
    make -s -C clone dist
    tar -xzf clone/gsort-*.tar.gz
    git -C clone rev-parse HEAD >commit
    grep -Eqx '[0-9a-f]{7,}' gsort-*/mk/commit
    [[ $(cat commit) == "$(cat gsort-*/mk/commit)"* ]]
    # It is the tarball's, also where that was unpacked in some other clone.
    git init -q .
    make -C gsort-*/ -n -W cli/version.c | grep -F "DGS_COMMIT='\"$(cat gsort-*/mk/commit)\"'"
}

@test "without git it says so, and without a clone" {
    rm -rf clone/.git
    run -2 make -s -C clone dist GIT_DIR=/nonexistent
    [[ $output == *"make dist needs a clone of the repository"* ]]
    mkdir bin
    ln -s /usr/bin/* bin/
    rm bin/git
    PATH=$PWD/bin run -2 make -s -C clone dist
    [[ $output == *"make dist needs git"* ]]
}
