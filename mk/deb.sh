#!/bin/bash
# deb.sh -- pack what make install has put below a directory as a package for Debian
# SPDX-License-Identifier: MIT
#
# usage: mk/deb.sh DIR VERSION     at the top of the tree; needs dpkg-dev
#
# DIR/debian/keysort holds usr/, installed with PROGRAM=keysort. Prints the package's name and
# leaves it in the current directory. DEBFULLNAME and DEBEMAIL name who packs it, as Debian's tools
# have it.
# The same sources and tools give the same bytes: files have the day of the release in CHANGELOG.md.
set -eu -o pipefail
export LC_ALL=C TZ=UTC
umask 022
root=$1/debian/keysort version=$2
command -v dpkg-shlibdeps >/dev/null || {
    echo 'make deb needs dpkg-shlibdeps: install the package dpkg-dev' >&2
    exit 2
}
arch=$(dpkg --print-architecture)
maintainer="${DEBFULLNAME:-gsort developers} <${DEBEMAIL:-gsort@packages.example.org}>"
day=$(sed -n "s/^## $version - //p" CHANGELOG.md)
SOURCE_DATE_EPOCH=$(date -d "${day:-1970-01-01}" +%s)
export SOURCE_DATE_EPOCH

doc=$root/usr/share/doc/keysort
mkdir -p "$root/DEBIAN" "$doc"
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root"/usr/bin/*
cp CHANGELOG.md "$doc/changelog"
cat >"$doc/changelog.Debian" <<END
keysort ($version-0gsort1) unstable; urgency=medium

  * Packed by make deb. The program gsort is called keysort here, since
    Debian has another gsort; gsort-mpi is keysort-mpi.

 -- $maintainer  $(date -R -d "@$SOURCE_DATE_EPOCH")
END
{
    printf '%s\n' 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/' \
        'Upstream-Name: gsort' '' 'Files: *' "$(sed -n 's/^Copyright (c)/Copyright:/p' LICENSE)" \
        'License: Expat'
    sed '1,/^Copyright/d; /./,$!d; s/^$/./; s/^/ /' LICENSE
} >"$doc/copyright"
find "$root/usr/share/man" "$doc" -type f ! -name copyright -exec gzip -9n {} +

# What the programs are linked with, as for a source package.
printf 'Source: keysort\n\nPackage: keysort\nArchitecture: any\n' >"$1/debian/control"
depends=$(cd "$1" && dpkg-shlibdeps -O debian/keysort/usr/bin/* | sed -n 's/^shlibs:Depends=//p')
find "$root/usr" -type f -printf '%P\n' | sort |
    (cd "$root/usr" && xargs md5sum) | sed 's|  |  usr/|' >"$root/DEBIAN/md5sums"
cat >"$root/DEBIAN/control" <<END
Package: keysort
Version: $version-0gsort1
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f 1)
Depends: $depends
Section: utils
Priority: optional
Description: sort binary files of numbers or records, in parallel
 keysort is sort(1) for binary data: it sorts plain arrays of integers,
 floating-point numbers or records of fixed size, and NumPy's .npy files,
 in parallel, larger than memory, too. The output appears whole or not at
 all, and a file that is plainly no such array is refused in one line.
 .
 The program is called gsort where it is built from its source; in Debian,
 gsort is another program.
END
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
package=keysort_$version-0gsort1_$arch.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$package" >/dev/null
echo "$package"
