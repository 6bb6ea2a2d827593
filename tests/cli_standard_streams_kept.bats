# A run that refuses to start consumes nothing, and what others do to a shared output is noticed.
# SPDX-License-Identifier: MIT

load helper

setup()
{
    enter_directory
    keygen uniform 1000 >in
    reference in >wanted
}

@test "standard input stays where it is if an output or another input is refused, or for --plan" {
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

@test "and is behind its keys otherwise, for the second - too" {
    { gsort - - -o got; wc -c >rest; } <in
    assert_same wanted got
    [ "$(cat rest)" -eq 0 ]
    { gsort -C - || true; wc -c >rest; } <in
    [ "$(cat rest)" -eq 0 ]
}

@test "one open file for both: the output follows the input" {
    cp in both
    gsort 0<>both >&0
    cat in wanted >all
    assert_same all both
}

@test "and a long pipe, too, of which each key is written once, in pages that are made meanwhile" {
    keygen uniform 16384 >both # pages begin behind it
    keygen uniform 14M >long
    cat both long >all_keys
    reference -u all_keys | cat both - >all
    mkfifo keys
    cat long >keys &
    "$GSORT" --device=cpu --parallel=8 -u - keys 0<>both >&0
    cmp all both
}

@test "what another program writes while a pipe is read comes before the output" {
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

@test "and also of each key once, beyond memory, and merged" {
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
            printf 'more' # before gsort can know of the end
            exec 4>&-
            wait $!
        } >out
        case $options in
        *-u*) printf 'more' | cat - wanted_unique | cmp - out ;;
        *) printf 'more' | cat - wanted | cmp - out ;;
        esac
    done
}

@test "and also where its pages are made meanwhile" {
    keygen uniform 16M >large
    printf four | cat large - >all_keys
    mkfifo keys
    {
        "$GSORT" --parallel=8 large keys &
        exec 4>keys
        printf 'four' >&4
        for ((i = 0; i < 100; i++)); do # until its pages are made
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

@test "two runs at once share an output: all of both is in it" {
    keygen uniform 1M >large
    reference large >wanted_large
    cat wanted wanted_large >small_first
    cat wanted_large wanted >large_first
    for ((i = 0; i < 60; i++)); do
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

@test "a run that fails leaves the position where it was" {
    {
        run -2 --separate-stderr bash -c 'ulimit -f 1; trap "" XFSZ; "$GSORT" in >&3' 3>&1
        printf 'next'
    } >out
    [ "$(head -c 4 out)" = next ]
}

@test "a signal gives an output that is written in place its length back" {
    keygen uniform 16M >large
    mkfifo keys
    "$GSORT" --parallel=8 large keys >out &
    exec 4>keys
    printf 'four' >&4 # its pages are made while the rest is waited for
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

@test "the reason is told behind a long name, too" {
    name=$(printf '%0200d' 0)
    path=$name/$name/$name/$name/$name/$name
    mkdir -p "$path"
    run -2 --separate-stderr gsort "$path/missing"
    [[ $stderr == *"No such file or directory" ]]
    printf '\2\0\0\0\1\0\0\0' >"$path/keys"
    run -1 --separate-stderr gsort -c "$path/keys"
    [[ $stderr == *":1: disorder: 1" ]]
}

@test "a closed stream is nobody else's, where there is no /dev/null either" {
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
        [ "$(readlink "/proc/$GSORT_PID/fd/$fd")" = / ]
    done
    cat in >&4
    exec 4>&-
    wait "$GSORT_PID"
    GSORT_PID=
    assert_same wanted out
}
