# make deb: a package for Debian, whose programs, pages and completions are called keysort.
# SPDX-License-Identifier: MIT

load ../helper

# pack DIR: clone the tree there and pack the program that is tested; nothing is compiled.
pack()
{
    clone_tree "$1"
    cp "$GSORT" "$1/gsort"
    make -s -C "$1" -o gsort install-program DESTDIR=build/deb/debian/keysort PREFIX=/usr \
        PROGRAM=keysort ZSH_FUNCTIONS=zsh/vendor-completions
    (cd "$1" && mk/deb.sh build/deb "$(sed -n 's/^VERSION := //p' Makefile)")
}

setup()
{
    enter_directory
    require_clone
    export CUDA=0 HIGHWAY=0 FUSE=0 MPI=0
}

@test "the package's files, compressed and stripped" {
    require dpkg-shlibdeps
    pack tree
    dpkg-deb -x tree/keysort_*.deb root
    (cd root/usr && find . -type f | sort) >got
    diff got - <<'END'
./bin/keysort
./share/bash-completion/completions/keysort
./share/doc/keysort/changelog.Debian.gz
./share/doc/keysort/changelog.gz
./share/doc/keysort/copyright
./share/fish/vendor_completions.d/keysort.fish
./share/man/man1/keysort-mpi.1.gz
./share/man/man1/keysort.1.gz
./share/man/man5/keysort-stats.5.gz
./share/zsh/vendor-completions/_keysort
END
    [[ $(root/usr/bin/keysort --version | head -n 1) == "keysort (gsort) "* ]]
    [[ $(zcat root/usr/share/man/man1/keysort.1.gz | grep '^\.TH') == *"KEYSORT 1"*'"keysort '* ]]
    [ -z "$(nm root/usr/bin/keysort 2>/dev/null)" ]
    [[ $(dpkg-deb -f tree/keysort_*.deb Depends) == *libc6* ]]
}

@test "lintian finds nothing" {
    require dpkg-shlibdeps
    require lintian
    is_expensive || skip "takes long: GSORT_EXPENSIVE=1"
    pack tree
    run -0 lintian --allow-root tree/keysort_*.deb
    [ -z "$output" ]
}

@test "the same bytes, packed in another directory" {
    require dpkg-shlibdeps
    pack one
    pack "another one"
    assert_same one/keysort_*.deb "another one"/keysort_*.deb
}

@test "the same object, compiled in another directory" {
    git clone -q --no-hardlinks --depth 1 "file://$ROOT" one
    cp -r one "another one"
    for place in one "another one"; do
        make -s -C "$place" build/cuda0-highway0/common/formats/utf8.o V=1 CFLAGS='-O0 -g' WERROR=
    done
    assert_same one/build/cuda0-highway0/common/formats/utf8.o \
        "another one/build/cuda0-highway0/common/formats/utf8.o"
}

@test "without dpkg-dev it says so" {
    mkdir bin
    ln -s /usr/bin/* bin/
    rm -f bin/dpkg-shlibdeps
    PATH=$PWD/bin run -2 "$ROOT/mk/deb.sh" . 1.2.3
    [[ $output == *"install the package dpkg-dev"* ]]
}
