# --shuffle --resume: a shuffle that was ended goes on with what is complete, to the same bytes.
# SPDX-License-Identifier: MIT

load ../npy
load resume

setup()
{
    without_gpu "shuffles run on the CPU, and --device=gpu is refused"
    enter_directory
    mkdir tmp
}

# wanted SEED BYTES: the order of in, in the file of that name.
wanted()
{
    /usr/bin/env python3 "$ROOT/tests/sort/shuffle_reference.py" "$@" <in >wanted
}

@test "killed after any number of chunks: these are not dealt again, and the order is the same" {
    need_numpy
    local size kib chunks last
    take_each 2 4 12 1000 100 # (longer ones are fetched from where they are)
    for size in "${TURNS[@]}"; do
        keygen uniform 2500000 | head -c $((size * (10000000 / size))) >in
        wanted 7 "$size"
        last=0
        for kib in 500 1500 2500; do
            end_at "$kib" --format=raw -R "$size" --shuffle=7 -S 2M
            go_on --format=raw -R "$size" --shuffle=7 -S 2M
            chunks=$(resumed stats)
            [ "${chunks:-0}" -gt "$last" ] || [ "$kib" -eq 500 ]
            # what is there is not written again, but for the chunk that was under way
            [ $(($(temporary stats) + ${chunks:-0} * 700000)) -le 10400000 ]
            last=${chunks:-0}
        done
        [ "$last" -ge 6 ]
    done
}

@test "with more memory or less, other threads, one more -T, or --verify" {
    local options
    mkdir more
    keygen uniform 2500000 >in
    gsort --shuffle=3 in -o wanted
    take_few "-S 1M" "-S 8M --verify" "-S 1G" "-S 2M --parallel=1 -T more" "-S 3M --direct"
    for options in "${TURNS[@]}"; do
        end_at 1500 --shuffle=3 -S 2M
        # shellcheck disable=SC2086  # options are words
        go_on --shuffle=3 $options
        [ "$options" = "-S 1G" ] || [ "$(resumed stats)" -ge 4 ]
        [ -z "$(ls -A more)" ]
    done
    end_at 1500 --shuffle=3 -S 2M -T more -j 3
    gsort --resume --shuffle=3 -S 1M -T more -T tmp --stats in 2>stats | cat >out
    assert_same wanted out
    [ "$(resumed stats)" -ge 2 ]
    [ -z "$(find . -name '.gsort-*')" ]
}

@test "another seed, and a sort, are other commands: each goes on with its own" {
    keygen uniform 2500000 >in
    gsort in -o wanted
    end_at 1500 --shuffle=1 -S 2M
    end_at 1500 --shuffle=2 -S 2M
    gsort --resume -T tmp -S 2M --stats in 2>stats | cat >out
    assert_same wanted out
    [ -z "$(resumed stats)" ]
    for seed in 1 2; do
        gsort --shuffle="$seed" in -o wanted
        gsort --resume -T tmp -S 2M --shuffle="$seed" --stats in 2>stats | cat >out
        assert_same wanted out
        [ "$(resumed stats)" -ge 4 ]
    done
    [ -z "$(ls -A tmp)" ]
}

@test "an input that has changed, with its times restored: from there on all is dealt again" {
    local byte
    for byte in 0 2000001 9900000; do
        keygen uniform 2500000 >in
        end_at 1500 --shuffle=5 -S 2M
        touch -r in times
        printf '\x01\x80\x03' | dd of=in bs=1 seek="$byte" conv=notrunc status=none
        touch -r times in
        gsort --shuffle=5 in -o wanted
        go_on --shuffle=5 -S 2M --verify
        [ "$byte" -gt 0 ] || [ -z "$(resumed stats)" ]
        [ "$byte" -eq 0 ] || [ "$(resumed stats)" -ge 2 ]
        [ "$byte" -gt 9000000 ] || grep -q '^gsort: warning: tmp/.*input that has changed' stats
    done
    end_at 1500 --shuffle=5 -S 2M
    keygen narrow 1000 >>in
    gsort --shuffle=5 in -o wanted
    go_on --shuffle=5 -S 2M
    [ "$(resumed stats)" -ge 4 ]
    end_at 1500 --shuffle=5 -S 2M
    truncate -s 2400000 in
    gsort --shuffle=5 in -o wanted
    go_on --shuffle=5 -S 2M
    [ "$(resumed stats)" -ge 2 ]
}

@test "two records that have changed places are noticed" {
    keygen uniform 2500000 >in
    end_at 1500 --shuffle=5 -S 2M
    dd if=in of=one bs=4 skip=500000 count=1 status=none
    dd if=in of=in bs=4 skip=500001 seek=500000 count=1 conv=notrunc status=none
    dd if=one of=in bs=4 seek=500001 conv=notrunc status=none
    gsort --shuffle=5 in -o wanted
    go_on --shuffle=5 -S 2M
    [ "$(resumed stats)" -ge 2 ]
    grep -q 'input that has changed' stats
}

@test "a damaged chunk, or starts of bins, or manifest: right bytes" {
    local file
    keygen uniform 2500000 >in
    gsort --shuffle=5 in -o wanted
    for file in "keys.0 1500000 4" "keys.0 100000 0" "keys.1 300 4" "manifest 100 0"; do
        # shellcheck disable=SC2086  # it is words
        set -- $file
        end_at 1500 --shuffle=5 -S 2M
        printf '\xff\xfe\x01' | dd of="$(kept)/$1" bs=1 seek="$2" conv=notrunc status=none
        go_on --shuffle=5 -S 2M --verify
        [ "$(($(resumed stats) + 0))" -ge "$3" ]
        [ "$3" -ne 0 ] || [ -z "$(resumed stats)" ]
    done
    end_at 1500 --shuffle=5 -S 2M
    truncate -s 500K "$(kept)/keys.2"
    go_on --shuffle=5 -S 2M
    [ "$(resumed stats)" -eq 2 ]
}

@test "a manifest that lies with a right checksum is believed up to there: right bytes" {
    require python3
    local lie
    keygen uniform 1500000 >in
    gsort --shuffle=5 in -o wanted
    end_at 1100 --shuffle=5 -S 2M
    cp -r tmp first
    for lie in input written fewer most zero overflow other-place twice missing longer shorter; do
        rm -rf tmp
        cp -r first tmp
        python3 "$ROOT/tests/tools/forge_manifest.py" "$(kept)/manifest" "$lie"
        go_on --shuffle=5 -S 2M
        echo "$lie: $(resumed stats) chunks resumed"
        [ "$(resumed stats)" -eq 2 ]
        [ "$(grep -c '^gsort: ' stats)" -eq 1 ]
    done
}

@test "killed again and again, by any signal, at any moment, in place, too" {
    local signal tries status
    keygen uniform 2500000 >before
    gsort --shuffle=5 before -o wanted
    for signal in KILL TERM; do
        cp before in
        status=1
        for ((tries = 1; status != 0; tries++)); do
            start --resume --shuffle=5 -S 2M -T tmp in -o in
            sleep "0.0$((tries * 3 % 10))" && [ "$tries" -gt 20 ] ||
                kill -"$signal" "$GSORT_PID" 2>/dev/null || true
            wait "$GSORT_PID" && status=0 || status=$?
            [ "$status" -eq 0 ] || [ "$status" -gt 128 ]
            [ "$status" -eq 0 ] || cmp -s before in || # or killed when that was done:
                { assert_same wanted in && cp before in; }
        done
        assert_same wanted in
        [ -z "$(ls -A tmp)" ]
    done
}

@test "several files with headers, and standard input; a pipe is refused, as in a sort" {
    keygen uniform 1500000 | npy "'<u4'" 1500000 >a.npy
    keygen narrow 1000000 | npy "'<u4'" 1000000 >b.npy
    gsort --shuffle=9 a.npy b.npy -o wanted.npy
    (ulimit -f 1100 && gsort --resume -T tmp -S 2M --shuffle=9 a.npy - <b.npy | cat >/dev/null) &&
        return 1
    gsort --resume -T tmp -S 2M --shuffle=9 --stats a.npy - <b.npy 2>stats | cat >out
    assert_same wanted.npy out
    [ "$(resumed stats)" -ge 4 ]
    run -2 --separate-stderr bash -c 'cat b.npy | gsort --resume --shuffle=9 -T tmp'
    assert_trouble "-: not a regular file, as --resume takes"
    [ -z "$(ls -A tmp)" ]
}
