# Keys of 8 and 16 bytes are sorted through temporary files, too.
# SPDX-License-Identifier: MIT

load ../helper

# These tests are for the CPU: they do not follow GSORT_DEVICE.

# assert_external TYPE [OPTION...]: the output for `in` is right, from file to file and from pipe to
# pipe by turns, and --stats says that the sort went through temporary files.
assert_external()
{
    local from
    reference -t "$@" in >wanted || return
    take_turns file pipe
    for from in "${TURNS[@]}"; do
        if [ "$from" = file ]; then
            "$GSORT" -t "$@" -S 1M -T . --verify --stats in -o got 2>stats || return
        else
            # shellcheck disable=SC2002  # a pipe is what is tested
            cat in | "$GSORT" -t "$@" -S 1M -T . --verify --stats 2>stats >got || return
        fi
        assert_same wanted got && grep -q 'through temporary files' stats || return
    done
}

@test "external sorts of wide keys of various distributions" {
    for type in u64 u128; do
        for name in uniform zipf few narrow sorted all-but-one max-keys; do
            keygen --type="$type" "$name" 300007 >in
            assert_external "$type" || {
                echo "by: $type $name" >&2
                return 1
            }
        done
    done
}

@test "external sorts of wide keys with -r, -u and both" {
    for type in u64 u128; do
        for name in zipf max-keys; do
            keygen --type="$type" "$name" 300007 >in
            for options in -r -u -ru; do
                assert_external "$type" "$options"
            done
        done
    done
}

@test "a large bin of wide keys is split again" {
    for type in u64 u128; do
        # A pipe's first part tells nothing about the rest, which falls into one bin.
        keygen --type="$type" uniform 150000 >in
        keygen --type="$type" low-bits 900000 >>in
        assert_external "$type"
    done
}
