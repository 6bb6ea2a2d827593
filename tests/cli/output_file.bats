# -o creates or replaces its file as a whole, and keeps mode and owner of the old one.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 100003 >in
    reference in >wanted
}

@test "a new file has the mode that the umask leaves" {
    for mask in 022 077 002; do
        umask "$mask"
        rm -f out
        gsort in -o out
        assert_same wanted out
        [ "$(stat -c %a out)" = "$(printf '%o' $((0666 & ~mask)))" ]
    done
    umask 022
    assert_only in out wanted
}

@test "--output=FILE, before and after the operands" {
    gsort --output=out in
    assert_same wanted out
    gsort in --output out2
    assert_same wanted out2
}

@test "an existing file is replaced, whether longer or shorter" {
    keygen uniform 10 >out
    gsort in -o out
    assert_same wanted out
    keygen uniform 300000 >out
    gsort in -o out
    assert_same wanted out
    assert_only in out wanted
}

@test "the mode of a replaced file is kept" {
    local modes=(600 640 755 666)
    [ "$(id -u)" -ne 0 ] || modes+=(444) # only root may write it
    for mode in "${modes[@]}"; do
        echo old >out
        chmod "$mode" out
        gsort in -o out
        [ "$(stat -c %a out)" = "$mode" ]
        assert_same wanted out
        rm -f out
    done
}

@test "owner and group of a replaced file are kept" {
    [ "$(id -u)" -eq 0 ] || skip "only root can give files away"
    echo old >out
    chown 12345:23456 out 2>/dev/null || skip "cannot give files away here"
    chmod 640 out
    gsort in -o out
    [ "$(stat -c %u:%g:%a out)" = 12345:23456:640 ]
}

@test "the mode is kept by a user with CAP_CHOWN, but without CAP_FOWNER" {
    [ "$(id -u)" -eq 0 ] || skip "only root may give the owner"
    require setpriv
    setpriv --bounding-set -fowner --inh-caps -fowner true 2>/dev/null || skip "no rights to drop"
    keygen uniform 10 >in
    echo old >out
    chown 12345:23456 out
    chmod 664 out
    setpriv --bounding-set -fowner --inh-caps -fowner "$GSORT" in -o out
    [ "$(stat -c %u:%g:%a out)" = 12345:23456:664 ]
}

@test "a user who cannot keep the owner drops set-ID bits and extra group rights" {
    require_nobody
    [ "$(id -u)" -eq 0 ] || skip "only root can make a file of somebody else's"
    keygen uniform 10 >in
    chmod 777 .
    for modes in 6777:777 676:666; do
        echo old >out
        chmod "${modes%:*}" out
        as_nobody "$GSORT" in -o out
        [ "$(stat -c %U:%a out)" = "nobody:${modes#*:}" ]
        rm -f out
    done
}

@test "a user who cannot keep the group drops set-ID bits" {
    [ "$(id -u)" -eq 0 ] || skip "only root gives files away"
    require_nobody
    keygen uniform 1000 >in
    chmod 777 .
    echo old >out
    chown 65534:0 out
    chmod 4755 out
    as_nobody "$GSORT" in -o out
    [ "$(stat -c '%a %u %g' out)" = "755 65534 65534" ]
}

@test "a replaced file gets no rights from its directory's default access control list" {
    require python3
    echo old >out
    chmod 600 out
    python3 -c '
import os, struct
entries = ((1, 6, -1), (2, 6, 1), (4, 4, -1), (16, 6, -1), (32, 0, -1))
acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
os.setxattr(".", "system.posix_acl_default", acl)' || skip "no access control lists here"
    gsort in -o out
    [ "$(python3 -c 'import os; print(os.listxattr("out"))')" = "[]" ]
    [ "$(stat -c %a out)" = 600 ]
}

@test "a replaced file keeps its access control list, without new rights for its group" {
    require python3
    echo old >out
    chmod 600 out
    cat >list.py <<'END'
import os, struct
entries = ((1, 6, -1), (2, 6, 1), (4, 0, -1), (16, 6, -1), (32, 0, -1))
acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
END
    cp list.py set.py
    echo 'os.setxattr("out", "system.posix_acl_access", acl)' >>set.py
    echo 'assert os.getxattr("out", "system.posix_acl_access") == acl' >>list.py
    python3 set.py || skip "no access control lists here"
    gsort in -o out
    assert_same wanted out
    python3 list.py
    [ "$(stat -c %a out)" = 660 ]
}

@test "an output in another directory leaves nothing else there" {
    mkdir dir
    gsort in -o dir/out
    assert_same wanted dir/out
    assert_only in wanted dir dir/out
}

@test "an absolute name, a name with spaces, a name that begins with -" {
    gsort in -o "$PWD/out"
    assert_same wanted out
    gsort in -o "a name"
    assert_same wanted "a name"
    gsort in -o -dashed
    assert_same wanted ./-dashed
    gsort -o out2 -- in
    assert_same wanted out2
}

@test "an output name as long as the system allows" {
    local name
    name=$(printf 'x%.0s' {1..255})
    gsort in -o "$name"
    assert_same wanted "$name"
}

@test "an empty input makes an empty file, even replacing a non-empty one" {
    echo old >out
    gsort /dev/null -o out
    [ -e out ]
    [ ! -s out ]
}

@test "-o - is a file of that name, as in sort(1)" {
    gsort in -o - >got
    assert_same wanted ./-
    [ ! -s got ]
}
