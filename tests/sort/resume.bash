# resume.bash -- for tests of --resume: end a sort at a point, look at what it kept, go on
# SPDX-License-Identifier: MIT
# shellcheck shell=bash

# kept: the directory that a run has left.
kept()
{
    local found=(tmp/.gsort-resume-*)
    [ "${#found[@]}" -eq 1 ] && [ -d "${found[0]}" ] && echo "${found[0]}"
}

# end_at KIB ARG...: sort in to a pipe, but die when a temporary file gets longer. (gsort must not
# write to a file, which would be too long, too.)
end_at()
{
    if (ulimit -f "$1" && gsort --resume -T tmp "${@:2}" in | cat >/dev/null); then
        echo "it was not killed: $*" >&2
        return 1
    fi
}

# resumed FILE: how many chunks that run has taken over, by its report.
resumed()
{
    sed -z 's/\n  */ /g' "$1" | sed -n 's/^reason .* \([0-9]*\) chunks of them resumed$/\1/p'
}

# temporary FILE: the bytes that it has written to temporary files.
temporary()
{
    awk '$1 == "temporary" { print $2 }' "$1"
}

# go_on ARG...: sort in again, and compare with the reference's `wanted`; nothing may be left.
go_on()
{
    gsort --resume -T tmp --stats "$@" in 2>stats | cat >out
    assert_same wanted out
    [ -z "$(ls -A tmp)" ]
}
