# After kill -9 at 100 random moments, the output is always the old file or the complete new one.
# SPDX-License-Identifier: MIT

load ../helper

@test "50 kills: outputs that are new, replaced, or the input itself" {
    [ -z "$GSORT_DEVICE" ] || skip "CUDA's start is most of a small run"
    "$ROOT/tests/faults/kill.sh" "$GSORT" "$KEYGEN" "$REFERENCE" 50 42
}
