# A file that shrinks while it is checked gives status 2 and a message, never a crash or a verdict.
# SPDX-License-Identifier: MIT

load ../helper

is_mapped()
{
    grep -q "/large\$" "/proc/$GSORT_PID/maps" 2>/dev/null || [ ! -e "/proc/$GSORT_PID/maps" ]
}

@test "-c and -C of a file that is truncated to nothing" {
    local letter status
    for letter in c C; do
        for ((i = 0; i < 20; i++)); do
            rm -f large
            truncate -s 1G large # zeros: in order
            start "-$letter" --parallel=1 large 2>err
            wait_for is_mapped
            : >large
            status=0
            wait "$GSORT_PID" || status=$?
            GSORT_PID=
            # 0: gsort had already checked the whole file
            [ "$status" -eq 0 ] || break
        done
        [ "$i" -lt 20 ] || skip "too late here in every run"
        [ "$status" -eq 2 ] || {
            echo "status $status: $(cat err)" >&2
            return 1
        }
        [ "$(cat err)" = "gsort: large: file shrank while it was being checked" ]
    done
}
