# What is plainly something else is refused, in any mode, before anything is written.
# SPDX-License-Identifier: MIT

load ../helper

# zeros_behind FORMAT FILE: make a file of 4,000 bytes that begins so, as printf understands it.
zeros_behind()
{
    # shellcheck disable=SC2059  # the format is the data
    printf "$1" >"$2"
    truncate -s 4000 "$2"
}

# Files whose sizes divide by 4, named as what they are.
make_files()
{
    zeros_behind '\x1f\x8b\x08\x00abcd\x02\x03cc' gzip
    zeros_behind '\x28\xb5\x2f\xfd\xa4\x00\x10\x00' zstd
    zeros_behind '\xfd7zXZ\x00\x00\x04' xz
    zeros_behind 'BZh91AY&SY\x01\x02' bzip2
    zeros_behind '\x04\x22\x4d\x18\x64\x40\xa7\x00' lz4
    zeros_behind 'PK\x03\x04\x2d\x00\x00\x00' zip
    zeros_behind '\x89HDF\r\n\x1a\n' hdf5
    zeros_behind '\x89PNG\r\n\x1a\n' png
    zeros_behind '\x7fELF\x02\x01\x01\x00' elf
    printf 'caf\xc3\xa9\n123456789\n' >short
    seq -f %07g 600 >text
    FILES=(gzip zstd xz bzip2 lz4 zip hdf5 png elf short text)
}

setup()
{
    enter_directory
    make_files
    echo old >out
}

# refused FILE: what the last run said of it; the old output is there.
refused()
{
    assert_trouble "looks like"
    [[ $stderr = *"--format=raw insists" ]]
    [ "$(cat out)" = old ]
}

@test "named files" {
    for file in "${FILES[@]}"; do
        run -2 --separate-stderr gsort "$file" -o out
        refused
        [[ $stderr = "gsort: $file: looks like "*" not plain keys: "* ]]
    done
}

@test "a file that would be replaced by itself" {
    for file in "${FILES[@]}"; do
        cp "$file" before
        run -2 --separate-stderr gsort --verify "$file" -o "$file"
        refused
        cmp before "$file"
    done
}

@test "standard input, as a file and as a pipe" {
    for file in "${FILES[@]}"; do
        run -2 --separate-stderr gsort -o out <"$file"
        refused
        run -2 --separate-stderr gsort -o out < <(cat "$file")
        refused
        run -2 --separate-stderr gsort < <(cat "$file")
        refused
        [ -z "$output" ]
    done
}

@test "merges and checks" {
    for file in "${FILES[@]}"; do
        run -2 --separate-stderr gsort -m "$file" -o out
        refused
        run -2 --separate-stderr gsort -m /dev/null - -o out < <(cat "$file")
        refused
        run -2 --separate-stderr gsort -C "$file"
        refused
        run -2 --separate-stderr gsort -c < <(cat "$file")
        refused
        run -2 --separate-stderr gsort --plan "$file"
        refused
    done
}

@test "one input of several, and a pipe behind an input that fills memory" {
    keygen uniform 2M >in
    run -2 --separate-stderr gsort in text -o out
    refused
    run -2 --separate-stderr gsort -S 1M -T . <(cat in) <(cat text) -o out
    refused
    run -2 --separate-stderr gsort -m -S 1M -T . /dev/null <(reference in) <(cat gzip) -o out
    refused
    assert_only "${FILES[@]}" in out
}

@test "a pipe that brings a few bytes at a time, and never ends" {
    for file in gzip text; do
        mkfifo "fifo-$file"
        exec 7<>"fifo-$file"
        {
            for ((at = 0; at < 4096; at += 512)); do
                dd "if=$file" bs=1 skip="$at" count=512 status=none
                sleep 0.01
            done
        } >&7
        run -2 --separate-stderr gsort "fifo-$file" -o out
        refused
        exec 7>&-
    done
}

@test "a size that is odd, too" {
    (cat gzip && printf x) >a.gz
    run -2 --separate-stderr gsort a.gz -o out
    [[ $stderr = "gsort: a.gz: looks like gzip data, not plain keys: try zcat a.gz | gsort; "* ]]
    run -2 --separate-stderr gsort -o out < <(seq 100)
    [[ $stderr = "gsort: -: looks like text, not plain keys: sort(1) sorts lines; "* ]]
}

@test "--format=raw sorts them all the same" {
    for file in "${FILES[@]}"; do
        reference "$file" >wanted
        gsort --format=raw "$file" >got
        assert_same wanted got
        gsort --format=raw < <(cat "$file") >got
        assert_same wanted got
        gsort --format=raw -C got
        cp got again
        gsort --format=raw -m <(cat got) - <again -o got2
        reference "$file" "$file" >wanted
        assert_same wanted got2
    done
}

@test "real files of these kinds" {
    seq 100000 >lines
    for tool in gzip zstd xz bzip2 lz4; do
        command -v "$tool" >/dev/null || continue
        "$tool" <lines >packed
        run -2 --separate-stderr gsort packed -o out
        assert_trouble "looks like $tool data"
    done
    run -2 --separate-stderr gsort "$GSORT" -o out
    assert_trouble "looks like an ELF program"
}

@test "text is what -t or -R says" {
    seq -f %07g 600 >text
    for options in "-R 8 -k 0:b7" "-t b8" "-R 8 -k 0:u64be -r" "--skip=8 -t b8"; do
        # shellcheck disable=SC2086  # words
        gsort $options text -o out
        # shellcheck disable=SC2086
        gsort $options < <(cat text) | cmp out -
    done
    LC_ALL=C sort <text >wanted
    gsort -R 8 -k 0:b7 text | cmp wanted -
    run -2 --separate-stderr gsort --skip=8 text -o out
    assert_trouble "looks like text"
}

@test "a .npy file behind as many bytes to skip as its header has, and no others" {
    keygen uniform 100 >keys
    (printf '\x93NUMPY\x01\0\x76\0{%116s\n' '' && cat keys) >a.npy
    (head -c 128 a.npy && reference keys) >wanted
    gsort --skip=128 -t u32 a.npy -o out
    assert_same wanted out
    gsort --skip=128 < <(cat a.npy) | cmp wanted -
    for options in --skip=64 "--skip=132 -t i16" "-R 4"; do
        # shellcheck disable=SC2086  # words
        run -2 --separate-stderr gsort $options a.npy -o out
        assert_trouble "looks like a NumPy array"
    done
}

@test "keys that are no text: short, without a line end, all alike, with a byte of another kind" {
    printf 'abc\ndef\nghi\n' >few
    printf 'ABCD%.0s' {1..2000} >tags
    head -c 8192 /dev/zero | tr '\0' ' ' >spaces
    head -c 8192 /dev/zero | tr '\0' '\n' >newlines
    (head -c 4092 text && printf 'a\x01\n\n' && cat text) >control
    (head -c 4092 text && printf 'a\xe9\n\n' && cat text) >latin
    for file in few tags spaces newlines control latin; do
        reference "$file" >wanted
        gsort "$file" >got
        assert_same wanted got
        gsort <"$file" | cat >got
        assert_same wanted got
    done
}
