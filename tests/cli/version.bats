# --version says which gsort this is: name, version, commit, compiler, and what was built in.
# SPDX-License-Identifier: MIT

load ../helper

@test "the version, the commit and the compiler" {
    run -0 --separate-stderr gsort --version
    [[ ${lines[0]} =~ ^gsort(-mpi)?\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
    [[ $output =~ Commit:\ ([0-9a-f]{7,}(-dirty)?|unknown) ]]
    [[ $output =~ Compiler:\ .*(gcc|[Cc]lang).*[0-9]+\. ]]
    [[ $output == *License:\ MIT ]]
}

@test "the kinds of GPU that there is code for" {
    gsort --version | grep -Ex 'CUDA: (no|yes, for (sm_[0-9]+ ?)+|yes, for [a-z-]+)'
}

@test "installed under another name, it says both" {
    ln -s "$GSORT" keysort
    [[ $(./keysort --version | head -n 1) == "keysort (gsort) "[0-9]* ]]
}

@test "it is the version of the Makefile and of the changelog" {
    [ -e "$ROOT/CHANGELOG.md" ] || skip "no CHANGELOG.md in this tree"
    version=$(sed -n 's/^VERSION := //p' "$ROOT/Makefile")
    [ "$(gsort --version | sed -n '1s/.* //p')" = "$version" ]
    grep -Eq "^## $version - [0-9]{4}-[0-9]{2}-[0-9]{2}\$" "$ROOT/CHANGELOG.md"
    for page in "$ROOT"/man/*.[1-8]; do
        grep -q "^\.TH .*\"gsort $version\"" "$page"
    done
}
