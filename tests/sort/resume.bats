# A sort with --resume that was ended by anything goes on with what is complete, to the same bytes.
# SPDX-License-Identifier: MIT

load ../helper
load resume

# The formats here are the CPU's.
export GSORT_DEVICE=

setup()
{
    enter_directory
    mkdir tmp
}

@test "killed after any number of chunks: these are not split again" {
    keygen uniform 6000017 >in
    reference in >wanted
    local kib chunks last=0
    for kib in 600 3000 5500; do
        end_at "$kib" -S 4M
        go_on -S 4M
        chunks=$(resumed stats)
        [ "${chunks:-0}" -gt "$last" ] || [ "$kib" -eq 600 ]
        # what is there is not written again, but for the chunk that was under way
        [ $(($(temporary stats) + ${chunks:-0} * 1000000)) -le 24000068 ]
        last=${chunks:-0}
    done
    [ "$last" -ge 9 ]
}

@test "with memory for two chunks, those that are complete are kept while the next one is split" {
    local kib chunks
    keygen uniform 6000017 >in
    reference in >wanted
    for kib in 3000 4600; do
        end_at "$kib" -S 16M --verify
        go_on -S 16M --verify
        chunks=$(resumed stats)
        [ "$chunks" -ge 1 ]
        [ $(($(temporary stats) + chunks * 5500000)) -le 24000068 ]
    done
    [ "$chunks" -ge 2 ]
}

@test "options, types and equal keys: the same bytes, and the proof holds" {
    local options
    keygen zipf 3000000 >in
    take_few "-r -u" -r "-t u64" -u "-t f64 -r" "-t i32be" "-R 12 -k 4:f32r -u" "-t u128"
    for options in "${TURNS[@]}"; do
        # shellcheck disable=SC2086  # options are words
        {
            reference $options in >wanted
            end_at 1100 -S 3M --verify $options
            go_on -S 3M --verify $options
        }
        [ "$(resumed stats)" -ge 1 ]
    done
}

@test "wide records and stable ones: the same" {
    local options bytes
    take_few "-R 24 -k 0:u32 -u" "-R 24 -k 0:u32" "-R 100 -k 2:u16 -s" "-R 12 -k 0:u16 -s -r"
    for options in "${TURNS[@]}"; do
        bytes=$(cut -d ' ' -f 2 <<<"$options")
        # shellcheck disable=SC2086  # options are words
        {
            keygen uniform $((24000000 / bytes)) --record="$bytes" >in
            reference $options <in >wanted
            end_at 2500 -S 3M --verify $options
            go_on -S 3M --verify $options
            [ "$(resumed stats)" -ge 1 ]
            end_at 2500 -S 4M $options
            go_on -S 3M $options
        }
        [ "$(resumed stats)" -ge 1 ]
        [ "$(temporary stats)" -le 21000000 ]
    done
}

@test "--argsort: chunks with positions are resumed, but not for records, nor those for it" {
    keygen uniform 1000000 --record=12 >in
    gsort -R 12 -k 0:u16 --argsort=u32 in -o wanted
    end_at 2500 -S 4M -R 12 -k 0:u16 --argsort=u32
    go_on -S 3M -R 12 -k 0:u16 --argsort=u32
    [ "$(resumed stats)" -ge 1 ]
    end_at 2500 -S 4M -R 12 -k 0:u16 -s
    gsort --resume -T tmp --stats -S 4M -R 12 -k 0:u16 -s --argsort=u32 in 2>stats | cat >out
    assert_same wanted out
    [ -z "$(resumed stats)" ]
    reference -R 12 -k 0:u16 -s in >wanted
    go_on -S 4M -R 12 -k 0:u16 -s
    [ "$(resumed stats)" -ge 1 ]
}

@test "several inputs, of which the second is under way, and standard input" {
    local options
    keygen zipf 1000000 --record=12 >in
    head -c 4800000 in >half
    take_few "-R 12 -k 0:u16 -s -r" "-R 12 -k 0:u16"
    for options in "${TURNS[@]}"; do
        # shellcheck disable=SC2086,SC2094  # options are words
        {
            cat half in in | reference $options >wanted
            end_at 2100 -S 4M $options half - <in
            gsort --resume -T tmp -S 4M $options half - in --stats <in 2>stats | cat >out
        }
        assert_same wanted out
        [ "$(resumed stats)" -ge 2 ]
        [ -z "$(ls -A tmp)" ]
    done
}

@test "frequent keys are only counted, and their counts are kept" {
    { keygen equal 1000000 && keygen uniform 1000000 && keygen equal 1000000; } >in
    reference in >wanted
    end_at 500 -S 3M --verify
    go_on -S 3M --verify
    [ "$(resumed stats)" -ge 1 ]
    [ "$(temporary stats)" -lt 8000000 ]
}

@test "with more memory or less, other threads or one more -T" {
    local options
    mkdir more
    keygen uniform 6000017 >in
    reference in >wanted
    take_few "-S 3M" "-S 16M" "-S 1G" "-S 4M --parallel=1 -T more" "-S 4M --direct"
    for options in "${TURNS[@]}"; do
        end_at 3000 -S 4M
        # shellcheck disable=SC2086  # options are words
        go_on $options
        [ "$options" = "-S 1G" ] || [ "$(resumed stats)" -ge 4 ]
        [ -z "$(ls -A more)" ]
    done
}

@test "killed again and again, by any signal, at any moment, and in the end all is there" {
    local signal tries=0 status
    keygen uniform 3000017 >in
    reference in >wanted
    take_few KILL TERM INT
    for signal in "${TURNS[@]}"; do
        rm -f out
        status=1
        for ((tries = 1; status != 0; tries++)); do
            start --resume -S 4M -T tmp in -o out
            sleep "0.0$((tries * 3 % 10))" && [ "$tries" -gt 20 ] ||
                kill -"$signal" "$GSORT_PID" 2>/dev/null || true
            wait "$GSORT_PID" && status=0 || status=$?
            [ "$status" -eq 0 ] || [ "$status" -gt 128 ]
        done
        assert_same wanted out
        [ -z "$(ls -A tmp)" ]
    done
}

@test "a damaged chunk and all behind it are split again" {
    local byte
    keygen uniform 3000017 >in
    reference in >wanted
    for byte in 1500000 100; do
        end_at 2500 -S 4M
        printf '\xff\xfe' | dd of="$(kept)/keys.0" bs=1 seek="$byte" conv=notrunc status=none
        go_on -S 4M
        [ "$byte" -lt 1500000 ] || [ "$(resumed stats)" -ge 4 ]
        [ "$byte" -ge 1500000 ] || [ -z "$(resumed stats)" ]
    done
    end_at 2500 -S 4M
    truncate -s 500K "$(kept)/keys.2"
    go_on -S 4M
    [ "$(resumed stats)" -le 6 ]
    for byte in 0 100; do
        end_at 2500 -S 4M
        printf '\xff\xfe' | dd of="$(kept)/manifest" bs=1 seek="$byte" conv=notrunc status=none
        go_on -S 4M
        grep -q "^gsort: warning: tmp/.gsort-resume-.*: in part damaged" stats
        [ -z "$(resumed stats)" ]
    done
    end_at 2500 -S 4M
    truncate -s -1 "$(kept)/manifest"
    go_on -S 4M
    [ "$(resumed stats)" -ge 4 ]
}

@test "other options: another directory, and what each command has kept stays its own" {
    local i
    take_few "" -r -u "-t i32" "-t f32 -r" "-t u64" "-R 8 -k 4:u32" "-R 8 -k 4:u32 -s" --skip=8
    local -a all=("${TURNS[@]}")
    keygen uniform 3000016 >in
    for i in "${!all[@]}"; do
        # shellcheck disable=SC2086  # options are words
        end_at 1100 -S 4M ${all[i]}
    done
    [ "$(find tmp -name '.gsort-resume-*' | wc -l)" -eq "${#all[@]}" ]
    for i in "${!all[@]}"; do
        # shellcheck disable=SC2086  # options are words
        {
            gsort ${all[i]} in >wanted
            gsort --resume -T tmp -S 4M --stats ${all[i]} in 2>stats | cat >out
        }
        assert_same wanted out
        [ "$(resumed stats)" -ge 1 ]
    done
    [ -z "$(ls -A tmp)" ]
}

@test "--verify may come or go: what was kept is proven anyway" {
    local options
    keygen uniform 3000000 >in
    take_few "" "-R 24 -k 0:u32"
    for options in "${TURNS[@]}"; do
        # shellcheck disable=SC2086  # options are words
        {
            reference $options in >wanted
            end_at 1100 -S 4M $options
            go_on -S 4M --verify $options
            [ "$(resumed stats)" -ge 1 ]
            end_at 1100 -S 4M --verify $options
            go_on -S 4M $options
        }
        [ "$(resumed stats)" -ge 1 ]
    done
}

@test "another process that has the directory: one line" {
    require flock
    keygen uniform 3000017 >in
    reference in >wanted
    end_at 1100 -S 4M
    exec 7<"$(kept)/manifest"
    flock 7
    run -2 --separate-stderr bash -o pipefail -c 'gsort --resume -S 4M -T tmp in | cat'
    assert_trouble "/manifest: in use by another process"
    exec 7>&-
    go_on -S 4M
    [ "$(resumed stats)" -ge 1 ]
}

@test "a full disk: one line, and with more room it goes on" {
    rmdir tmp
    mount_memory tmp 20m
    keygen uniform 6000017 >in
    reference in >wanted
    dd if=/dev/zero of=tmp/other bs=1M count=4 status=none
    run -2 --separate-stderr gsort --resume -S 4M -T tmp in -o out # it is known before
    assert_trouble tmp "No space left"
    assert_only in out.not 2>/dev/null || [ "$(ls -A tmp)" = other ]
    keygen uniform 3000000 >in
    end_at 1100 -S 4M
    dd if=/dev/zero of=tmp/full bs=1M status=none 2>/dev/null || true
    reference in >wanted
    run -2 --separate-stderr bash -o pipefail -c 'gsort --resume -S 4M -T tmp in | cat'
    assert_trouble tmp "No space left"
    kept
    rm tmp/other tmp/full
    go_on -S 4M
    [ "$(resumed stats)" -ge 1 ]
}

@test "nothing is left where nothing spills, nothing was complete, or all ended well" {
    keygen uniform 300007 >in
    reference in >wanted
    gsort --resume -T tmp in -o out
    assert_same wanted out
    gsort --resume -T tmp -S 4M in in in in in in in in -o out
    gsort --resume -T tmp -S 4M -o out <in
    assert_same wanted out
    run -2 --separate-stderr gsort --resume -T tmp in -o tmp
    assert_trouble tmp
    cp in data
    gsort --resume -T tmp data -o data
    assert_same wanted data
    [ -z "$(ls -A tmp)" ]
}

@test "what cannot be resumed is refused in one line" {
    keygen uniform 1000 >in
    run -2 --separate-stderr bash -c 'cat in | gsort --resume -T tmp'
    assert_trouble "-: not a regular file, as --resume takes"
    mkfifo fifo
    run -2 --separate-stderr gsort --resume -T tmp in fifo
    assert_trouble "fifo: not a regular file"
    run -2 --separate-stderr gsort --resume -T tmp missing
    assert_trouble "missing: No such file"
    run -2 --separate-stderr gsort --resume -T nowhere in
    assert_trouble "nowhere: No such file"
    run -2 --separate-stderr gsort --resume -m in
    assert_trouble "options '-m' and '--resume' are incompatible"
    run -2 --separate-stderr gsort --resume -c in
    assert_trouble "options '-c' and '--resume' are incompatible"
    [ -z "$(ls -A tmp)" ]
}

@test "a directory that somebody else could have made is refused" {
    local name
    keygen uniform 3000017 >in
    end_at 1100 -S 4M
    name=$(kept)
    chmod 777 "$name"
    run -2 --separate-stderr bash -o pipefail -c 'gsort --resume -S 4M -T tmp in | cat'
    assert_trouble "$name: not a directory that you own"
    mv "$name" elsewhere
    chmod 700 elsewhere
    ln -s ../elsewhere "$name"
    run -2 --separate-stderr bash -o pipefail -c 'gsort --resume -S 4M -T tmp in | cat'
    assert_trouble "$name: not a directory that you own"
}
