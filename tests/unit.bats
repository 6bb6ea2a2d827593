# The module tests of tests/unit/ pass.
# SPDX-License-Identifier: MIT

load helper

@test "every unit test" {
    without_gpu "unit tests run no kernel, and tests/gpu_twins.c is theirs"
    [ -n "${UNITS:-}" ] || skip "UNITS is not set: make check sets it"
    local failed=0 count=0
    for test in "$UNITS"/test_*; do
        [ -x "$test" ] || continue
        case $test in
        *.d | *.o) continue ;;
        esac
        count=$((count + 1))
        "$test" || {
            echo "failed: $test" >&2
            failed=1
        }
    done
    [ "$count" -eq "$(find "$ROOT/tests/unit" -name 'test_*.c' | wc -l)" ]
    [ "$failed" -eq 0 ]
}
