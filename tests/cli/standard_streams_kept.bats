# A refused run consumes no input, and gsort respects what others write to a shared output.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 1000 >in
    reference in >wanted
}

@test "a refused output or input, or --plan, leaves the offset of standard input" {
    for refused in "-o missing/out" "- missing" "--plan"; do
        # shellcheck disable=SC2086
        {
            gsort $refused >plan 2>&1 || true
            gsort -o got
        } <in
        assert_same wanted got
        rm got
    done
}

@test "other runs leave standard input at its end, for a second - too" {
    { gsort - - -o got; wc -c >rest; } <in
    assert_same wanted got
    [ "$(cat rest)" -eq 0 ]
    { gsort -C - || true; wc -c >rest; } <in
    [ "$(cat rest)" -eq 0 ]
}

@test "one open file for input and output: the output follows the input" {
    cp in both
    gsort 0<>both >&0
    cat in wanted >all
    assert_same all both
}

@test "one open file for input and output: with -u, a long pipe and pages made ahead" {
    keygen uniform 16384 >both # 64 KiB, behind which pages can be made
    keygen uniform 14M >long
    cat both long >all_keys
    reference -u all_keys | cat both - >all
    mkfifo keys
    cat long >keys &
    "$GSORT" --device=cpu --parallel=8 -u - keys 0<>both >&0
    cmp all both
}

@test "text that another program writes while a pipe is read comes before the output" {
    mkfifo keys
    {
        "$GSORT" keys &
        exec 4>keys
        printf 'more'
        cat in >&4
        exec 4>&-
        wait $!
    } >out
    printf 'more' | cat - wanted >all
    assert_same all out
}

@test "text that another program writes comes before the output of -u, -S and -m" {
    keygen zipf 1000003 | reference >in
    reference -u in >wanted_unique
    cp in wanted
    mkfifo keys
    for options in "-u" "-S 1M -T ." "-u -S 1M -T ." "-m" "-m -u" "-m -u -S 1M -T ."; do
        {
            # shellcheck disable=SC2086  # options are words
            "$GSORT" $options keys &
            exec 4>keys
            cat in >&4
            printf 'more' # before gsort can see the end
            exec 4>&-
            wait $!
        } >out
        case $options in
        *-u*) printf 'more' | cat - wanted_unique | cmp - out ;;
        *) printf 'more' | cat - wanted | cmp - out ;;
        esac
    done
}

@test "text that another program writes comes before pages made ahead" {
    keygen uniform 16M >large
    printf four | cat large - >all_keys
    mkfifo keys
    {
        "$GSORT" --parallel=8 large keys &
        exec 4>keys
        printf 'four' >&4
        for ((i = 0; i < 100; i++)); do # until gsort makes pages of the output
            [ ! -s /dev/stdout ] || break
            sleep 0.05
        done
        printf 'more'
        exec 4>&-
        wait $!
    } >out
    [ "$i" -lt 100 ] || skip "files here gain nothing by pages made ahead"
    reference all_keys >sorted
    printf 'more' | cat - sorted >all
    assert_same all out
}

@test "two concurrent runs with the same output both write all their keys" {
    keygen uniform 1M >large
    reference large >wanted_large
    cat wanted wanted_large >small_first
    cat wanted_large wanted >large_first
    for ((i = 0; i < $(repeats 30); i++)); do
        {
            "$GSORT" large -S $((i % 3 + 1))M -T . &
            "$GSORT" in &
            wait -n
            wait
        } >out
        cmp -s small_first out || cmp large_first out
        {
            "$GSORT" in &
            "$GSORT" -m wanted &
            wait -n
            wait
        } >out
        cmp <(cat wanted wanted) out
    done
}

@test "a failed run leaves the output's offset where it was" {
    {
        run -2 --separate-stderr bash -c 'ulimit -f 1; trap "" XFSZ; "$GSORT" in >&3' 3>&1
        printf 'next'
    } >out
    [ "$(head -c 4 out)" = next ]
}

@test "a signal restores the length of an output with pages made ahead" {
    keygen uniform 16M >large
    mkfifo keys
    "$GSORT" --parallel=8 large keys >out &
    exec 4>keys
    printf 'four' >&4 # pages are made while gsort waits for the rest
    for ((i = 0; i < 100; i++)); do
        [ "$(stat -c %s out)" -eq 0 ] || break
        sleep 0.05
    done
    kill -TERM $!
    wait $! && status=0 || status=$?
    exec 4>&-
    [ "$i" -lt 100 ] || skip "files here gain nothing by pages made ahead"
    [ "$status" -eq 143 ]
    [ "$(stat -c %s out)" -eq 0 ]
}

@test "the reason follows a long name, too" {
    name=$(printf '%0200d' 0)
    path=$name/$name/$name/$name/$name/$name
    mkdir -p "$path"
    run -2 --separate-stderr gsort "$path/missing"
    [[ $stderr == *"No such file or directory" ]]
    printf '\2\0\0\0\1\0\0\0' >"$path/keys"
    run -1 --separate-stderr gsort -c "$path/keys"
    [[ $stderr == *":1: disorder: 1 after "* ]]
}

@test "no file gets the descriptor of a closed stream, even without /dev/null" {
    require unshare
    require_plain_build
    unshare -m bash -c 'mount -t tmpfs tmpfs /dev' 2>/dev/null || skip "mounting is not permitted"
    mkfifo keys
    exec 4<>keys
    unshare -m bash -c 'mount -t tmpfs tmpfs /dev && exec "$GSORT" keys -o out 0<&- 1>&- 2>&-' \
        3>&- 4>&- &
    GSORT_PID=$!
    wait_for has_open keys
    local fd
    for fd in 0 1 2; do
        # Not by its name, which in a chroot is another one.
        [ "$(stat -Lc %d:%i "/proc/$GSORT_PID/fd/$fd")" = "$(stat -Lc %d:%i /)" ]
    done
    cat in >&4
    exec 4>&-
    wait "$GSORT_PID"
    GSORT_PID=
    assert_same wanted out
}
