# --stats has a row for each rank, of which the keys add up.
# SPDX-License-Identifier: MIT

load ranks

setup()
{
    enter_ranks
    keygen uniform 100000 >in
}

@test "text and JSON" {
    run --separate-stderr ranks 3 --stats in -o out
    [ "$status" -eq 0 ]
    sums=$(awk '$1 ~ /^[0-2]$/ { a += $2; b += $3 } END { print a, b }' <<<"$stderr")
    [ "$sums" = "100000 100000" ]
    sums=$(awk '$1 == "all" { print $2, $3, $4 - $5 }' <<<"$stderr")
    [ "$sums" = "100000 100000 0" ]
    [[ ${stderr_lines[0]} =~ ^total\ +[0-9.]+\ ms$ ]]
    ! grep -E '.{80}|^host' <<<"$stderr" || return 1
    run --separate-stderr ranks 3 --stats=json in -o out
    python3 -c '
import json, sys
stats = json.load(sys.stdin)
assert len(stats["ranks"]) == 3
assert all(rank["host"] for rank in stats["ranks"])
assert sum(rank["keys_out"] for rank in stats["ranks"]) == stats["all"]["keys_in"] == 100000
' <<<"$stderr"
}
