# The directories of --resume: each is used once, by one run, and by nobody else.
# SPDX-License-Identifier: MIT

load ../helper
load resume

export GSORT_DEVICE=

setup()
{
    enter_directory
    mkdir tmp
    keygen uniform 1500000 >in
}

# more_keys DIR...: make these directories, and twice the keys for them.
more_keys()
{
    mkdir "$@"
    keygen uniform 3000000 >in
}

# sorts_with DIR...: with these -T, the bytes are right, without --resume and with it, after a kill,
# too; for elements and for records; and nothing is left.
sorts_with()
{
    local options directories=() status=0
    for directory; do
        directories+=(-T "$directory")
    done
    take_few "" "-R 24 -k 0:u32" "-R 12 -k 0:u16 -s"
    for options in "${TURNS[@]}"; do
        # shellcheck disable=SC2086  # options are words
        {
            reference $options in >wanted
            gsort -S 2M $options "${directories[@]}" in -o out
            assert_same wanted out
            gsort --resume -S 2M $options "${directories[@]}" in -o out
            assert_same wanted out
            (ulimit -f 1100 &&
                gsort --resume -S 2M $options "${directories[@]}" in | cat >/dev/null) || status=$?
            [ "$status" -ne 0 ]
            gsort --resume -S 2M $options "${directories[@]}" --stats in 2>stats | cat >out
        }
        assert_same wanted out
        [ "$(resumed stats)" -ge 1 ]
        [ -z "$(find . -name '.gsort-*')" ]
    done
}

@test "a directory that is named twice by the same path, or by another spelling" {
    sorts_with tmp tmp
    sorts_with tmp ./tmp/ "$PWD/tmp"
    more_keys other
    sorts_with other tmp other/../tmp other
}

@test "by a symbolic link, and by a directory above that is one" {
    ln -s tmp link
    ln -s . here
    sorts_with link tmp here/link
}

@test "by TMPDIR and -T" {
    TMPDIR=$PWD/tmp sorts_with "$PWD/tmp" tmp
    TMPDIR=tmp sorts_with
}

@test "by a bind mount" {
    mkdir bound
    mount --bind tmp bound 2>/dev/null || skip "mounting is not permitted here"
    MOUNTED=("$PWD/bound" "${MOUNTED[@]}")
    sorts_with bound tmp
    sorts_with tmp bound
}

@test "by a file system that shows another one's files: no device or inode is the same" {
    mount_quirks
    sorts_with behind quirky
}

@test "directories in another order: all is found, and nothing is left" {
    more_keys more most
    reference in >wanted
    end_at 1100 -S 2M -T more -T most
    gsort --resume -S 2M -T most -T tmp -T more --stats in 2>stats | cat >out
    assert_same wanted out
    [ "$(resumed stats)" -ge 3 ]
    [ -z "$(find . -name '.gsort-*')" ]
    reference -R 24 -k 0:u32 in >wanted
    end_at 1100 -S 2M -R 24 -k 0:u32 -T more
    gsort --resume -S 2M -R 24 -k 0:u32 -T more -T tmp --stats in 2>stats | cat >out
    assert_same wanted out
    [ "$(resumed stats)" -ge 2 ]
    [ -z "$(find . -name '.gsort-*')" ]
}

@test "one of them is missing: what it held is done again" {
    more_keys more
    reference in >wanted
    end_at 1100 -S 2M -T more
    mv more/.gsort-resume-* elsewhere
    go_on -S 2M -T more
    [ "$(resumed stats)" -ge 1 ]
    end_at 1100 -S 2M -T more
    go_on -S 2M
    [ "$(resumed stats)" -ge 1 ]
}

@test "each directory is one run's alone, not only the first" {
    require flock
    more_keys more
    end_at 1100 -S 2M -T more
    exec 7<"$(echo more/.gsort-resume-*)/manifest"
    flock 7
    run -2 --separate-stderr bash -o pipefail -c 'gsort --resume -S 2M -T tmp -T more in | cat'
    assert_trouble "more/.gsort-resume-" "/manifest: in use by another process"
    exec 7>&-
    reference in >wanted
    go_on -S 2M -T more
    [ "$(resumed stats)" -ge 1 ]
}

@test "a run that is refused leaves what others have kept, and nothing of its own" {
    require flock
    more_keys more new
    end_at 1100 -S 2M -T more
    mkdir before
    cp -r tmp more before
    exec 7<"$(kept)/manifest"
    flock 7
    run -2 --separate-stderr bash -o pipefail -c \
        'gsort --resume -S 2M -T new -T more -T tmp in | cat'
    assert_trouble "tmp/.gsort-resume-" "in use by another process"
    exec 7>&-
    [ -z "$(ls -A new)" ]
    diff -r before/tmp tmp
    diff -r before/more more
}

@test "files are opened in the directory that was looked at, whatever has its name by then" {
    require_strace
    strace -f -qq -e trace=open,openat,unlink,unlinkat -o trace \
        "$GSORT" --resume -S 2M -T tmp in -o out
    [ "$(grep -c 'O_DIRECTORY.*O_NOFOLLOW\|O_NOFOLLOW.*O_DIRECTORY' trace)" -ge 1 ]
    [ "$(grep -c 'openat([0-9]*, "keys\.[0-3]", .*O_NOFOLLOW' trace)" -ge 4 ]
    grep -q 'openat([0-9]*, "manifest", .*O_NOFOLLOW' trace
    run ! grep '\.gsort-resume-[0-9a-f]*/' trace
}

@test "a manifest or keys that are somebody else's, or no files, are refused in one line" {
    local name
    end_at 1100 -S 2M
    for name in manifest keys.0 keys.3; do
        cp "$(kept)/$name" whole
        rm "$(kept)/$name"
        mkdir "$(kept)/$name"
        run -2 --separate-stderr bash -o pipefail -c 'gsort --resume -S 2M -T tmp in | cat'
        assert_trouble "$(kept)"
        rmdir "$(kept)/$name"
        ln -s ../../whole "$(kept)/$name"
        run -2 --separate-stderr bash -o pipefail -c 'gsort --resume -S 2M -T tmp in | cat'
        assert_trouble "$(kept)"
        rm "$(kept)/$name"
        cp whole "$(kept)/$name"
        if chown 1 "$(kept)/$name" 2>/dev/null; then
            run -2 --separate-stderr bash -o pipefail -c 'gsort --resume -S 2M -T tmp in | cat'
            assert_trouble "$(kept)"
            chown "$(id -u)" "$(kept)/$name"
        fi
    done
    reference in >wanted
    go_on -S 2M
    [ "$(resumed stats)" -ge 1 ]
}

# What is refused is done again, and all that follows. left: the chunks that count for each lie.
@test "a manifest that lies with a right checksum is believed up to there: right bytes" {
    require python3
    local options lie word
    local -a all
    local -A left=([samples]=0 [no-bins]=0 [bins]=0 [shift]=1 [lose]=1 [exceed]=1 [input]=1
        [written]=1 [home]=1 [offset]=1 [longer]=1 [shorter]=1 [nothing]=1 [gather]=1)
    keygen max-keys 1500000 >in # half of them in a bin of one value, which is not written
    take_turns "" "-t u64 -r" "-R 24 -k 0:u32 -u" "-R 12 -k 0:u16 -s"
    all=("${TURNS[@]}")
    for options in "${all[@]}"; do
        take_turns "${!left[@]}" # others for each of the options
        # shellcheck disable=SC2086  # options are words
        {
            reference $options in >wanted
            end_at 700 -S 2M $options
            rm -rf first
            cp -r tmp first
            for lie in "${TURNS[@]}"; do
                rm -rf tmp
                cp -r first tmp
                python3 "$ROOT/tests/tools/forge_manifest.py" "$(kept)/manifest" "$lie"
                go_on -S 2M $options
                word=$(resumed stats)
                echo "$options, $lie: ${word:-0} chunks resumed"
                [ "${word:-0}" -eq "${left[$lie]}" ]
                [ "$(grep -c '^gsort: ' stats)" -le 1 ]
            done
            rm -rf tmp && mkdir tmp
        }
    done
}

@test "a manifest of another version is refused in one line, and stays" {
    require python3
    end_at 1100 -S 2M
    python3 "$ROOT/tests/tools/forge_manifest.py" "$(kept)/manifest" version
    cp -r tmp before
    run -2 --separate-stderr bash -o pipefail -c 'gsort --resume -S 2M -T tmp in | cat'
    assert_trouble "$(kept)/manifest: of another version of gsort" "remove $(kept)"
    diff -r before tmp
}
