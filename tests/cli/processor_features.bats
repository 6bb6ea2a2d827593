# On a processor that lacks features, gsort and its libraries do without them.
# SPDX-License-Identifier: MIT

load ../helper

@test "the oldest processor, no AVX2, and two features that Highway does not ask for" {
    require qemu-x86_64
    without_gpu "the processor is emulated"
    require_plain_build
    "$ROOT/tests/faults/processors.sh" "$GSORT" "$KEYGEN" "$REFERENCE" qemu64 max,-avx2 \
        max,-popcnt max,-xsave
}
