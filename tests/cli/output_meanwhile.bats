# A file that gets the output's name while gsort runs is treated like one that had it before.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 100003 >in
    reference in >wanted
    mkdir shared
    mkfifo fifo
}

# begin NAME: start a sort with this output, and leave its input open.
begin()
{
    exec 7<>fifo
    start -o "$1" <fifo 2>err 7>&-
    cat in >&7
    wait_for has_open 'shared/[#.][^/]*'
}

# end STATUS: close its input; gsort must exit with this status.
end()
{
    local status=0
    exec 7>&-
    wait "$GSORT_PID" || status=$?
    GSORT_PID=
    [ "$status" -eq "$1" ]
}

@test "the user's own new file is replaced, and its mode stays" {
    begin shared/out
    echo meanwhile >shared/out
    chmod 640 shared/out
    end 0
    assert_same wanted shared/out
    [ "$(stat -c %a shared/out)" = 640 ]
    [ "$(ls -A shared)" = out ]
}

@test "a mode that the old output gets during the run stays" {
    echo old >shared/out
    chmod 644 shared/out
    begin shared/out
    chmod 600 shared/out
    end 0
    assert_same wanted shared/out
    [ "$(stat -c %a shared/out)" = 600 ]
}

@test "another user's new file in a shared directory is not replaced" {
    [ "$(id -u)" -eq 0 ] || skip "only root can give files away"
    chmod 1777 shared
    begin shared/out
    echo theirs >shared/out
    chown 65534:65534 shared/out 2>/dev/null || skip "cannot give files away here"
    end 2
    [ "$(wc -l <err)" -eq 1 ]
    grep -q 'shared/out: another user' err
    [ "$(cat shared/out)" = theirs ]
    [ "$(ls -A shared)" = out ]
}

@test "a new directory, link or FIFO is left alone" {
    local make
    for make in 'mkdir shared/out' 'ln -s ../in shared/out' 'mkfifo shared/out'; do
        begin shared/out
        $make
        stat -c %i:%F shared/out >before
        end 2
        [ "$(wc -l <err)" -eq 1 ]
        grep -q 'shared/out: File exists' err
        stat -c %i:%F shared/out >after
        cmp before after
        [ "$(ls -A shared)" = out ]
        rm -rf shared/out
    done
    cmp in <(keygen uniform 100003)
}

@test "a new file never gets a temporary name: an append-only directory is enough" {
    [ "$(id -u)" -eq 0 ] || skip "only root can make a directory append-only"
    require chattr
    begin shared/first
    has_open 'shared/#[^/]*' || skip "the file system has no files without a name"
    end 0
    rm shared/first
    chattr +a shared 2>/dev/null || skip "the file system has no append-only directories"
    local status=0
    gsort in -o shared/out || status=$?
    chattr -a shared
    [ "$status" -eq 0 ]
    assert_same wanted shared/out
}
