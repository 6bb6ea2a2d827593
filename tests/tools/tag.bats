# make tag names a release by the Makefile's VERSION, if all that says a version says this one.
# SPDX-License-Identifier: MIT

load ../helper

# commit: what is in the clone.
commit()
{
    git -C clone -c user.name=tag -c user.email=tag@localhost commit -qam change
}

setup()
{
    enter_directory
    require_clone
    clone_tree clone
    export CUDA=0 HIGHWAY=0 FUSE=0
    export GIT_COMMITTER_NAME=tag GIT_COMMITTER_EMAIL=tag@localhost
    version=$(sed -n 's/^VERSION := //p' clone/Makefile)
    # As at a release: nothing is unreleased.
    sed -i "/^## Unreleased/,/^## $version - /{ /^## /!d }" clone/CHANGELOG.md
    commit || true
}

@test "a tag of the version, of this commit" {
    make -s -C clone tag
    [ "$(git -C clone rev-parse "v$version^{commit}")" = "$(git -C clone rev-parse HEAD)" ]
    [ "$(git -C clone cat-file -t "v$version")" = tag ]
    run -2 make -s -C clone tag # once
    [[ $output == *"already exists"* ]]
}

# refused WORD: there is no tag, and a line says why.
refused()
{
    run -2 make -s -C clone tag
    [[ $output == *"make tag: $1"* ]]
    [ -z "$(git -C clone tag)" ]
}

@test "changes, what is unreleased, another manual: no tag" {
    echo >>clone/README.md
    refused "there are changes that are not committed"
    git -C clone checkout -q README.md
    sed -i 's/^## Unreleased/&\n\n### Added\n\n- This./' clone/CHANGELOG.md
    commit
    refused "CHANGELOG.md does not begin with $version"
    git -C clone reset -q --hard HEAD~
    sed -i "s/\"gsort $version\"/\"gsort 0.0.1\"/" clone/man/gsort.1
    commit
    refused "man/gsort.1: of another version than $version"
    sed -i "s/^VERSION := .*/VERSION := 9.9.9/" clone/Makefile
    commit
    refused "CHANGELOG.md does not begin with 9.9.9"
}
