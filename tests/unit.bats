# The unit tests in tests/unit/ pass.
# SPDX-License-Identifier: MIT

load helper

@test "every unit test passes" {
    without_gpu "unit tests run no kernel, and tests/gpu_twins.c is theirs"
    [ -n "${UNITS:-}" ] || skip "UNITS is not set: make check sets it"
    local count=0
    for test in "$UNITS"/test_*; do
        [ -x "$test" ] || continue
        case $test in
        *.d | *.o) continue ;;
        esac
        count=$((count + 1))
        echo "$test"
    done >tests
    [ "$count" -eq "$(find "$ROOT/tests/unit" -name 'test_*.c' | wc -l)" ]
    # Two run at a time, each in its own directory. (gsort itself sets OMP_WAIT_POLICY.)
    export OMP_WAIT_POLICY=passive
    # shellcheck disable=SC2016 # the inner shell's
    xargs -d '\n' -P 2 -n 1 sh -c 'mkdir "${0##*/}" && cd "${0##*/}" && "$0" >log 2>&1 ||
        { echo "failed: $0" && cat log && exit 1; }' <tests >&2 3>&-
}
