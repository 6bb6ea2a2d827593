#!/bin/bash
# valgrind.sh -- quick runs under valgrind: no errors, no leaks, right output
# SPDX-License-Identifier: MIT
#
# usage: tests/tools/valgrind.sh GSORT     at the top of the tree, after make
#
# Every run must have the expected exit status and, if it sorts, the output of build/reference.
# Memory that is still reachable at the end does not count as a leak: main() leaves
# some to the end of the process. Exit status: 0 clean, 1 findings, 2 no valgrind.
set -u
shopt -s inherit_errexit

GSORT=$(realpath "${1:?usage: valgrind.sh GSORT}")
TOP=$(realpath "$(dirname "$0")/../..")
KEYGEN=$TOP/build/keygen
REFERENCE=$TOP/build/reference
command -v valgrind >/dev/null || {
    echo "valgrind: there is no valgrind: CONTRIBUTING.md says what to install" >&2
    exit 2
}
DIR=$(mktemp -d) || exit 2
trap 'rm -rf "$DIR"' EXIT
cd "$DIR" || exit 2

ERROR=99 # valgrind's exit status when it finds an error
runs=0
failed=0

# Run gsort under valgrind, on the CPU; valgrind's report goes to the file `report`.
gsort()
{
    valgrind --quiet --error-exitcode="$ERROR" --leak-check=full --log-file=report \
        --errors-for-leak-kinds=definite,indirect,possible \
        --show-leak-kinds=definite,indirect,possible \
        --suppressions="$TOP/tests/tools/valgrind.supp" \
        "$GSORT" --device=cpu --parallel=2 "$@"
}

fault()
{
    echo "valgrind: gsort $1" >&2
    cat report said >&2
    failed=$((failed + 1))
}

# expect STATUS ARG...: gsort ARG... must exit with this status, without errors from valgrind.
expect()
{
    local want=$1 got=0
    shift
    gsort "$@" >out 2>said || got=$?
    runs=$((runs + 1))
    if [ "$got" -ne "$want" ]; then
        fault "$*: status $got, not $want"
    fi
}

# sorts FILE [OPTION...]: sort to a file, with --verify and --stats, and compare with the reference.
sorts()
{
    local file=$1
    shift
    rm -f got
    expect 0 --verify --stats "$@" "$file" -o got
    "$REFERENCE" "$@" "$file" >wanted
    cmp -s wanted got || fault "$* $file: wrong output"
}

# pipes FILE [OPTION...]: sort from pipe to pipe, and compare with the reference.
pipes()
{
    local file=$1 got=0
    shift
    # shellcheck disable=SC2002  # a pipe is what is tested
    cat "$file" | gsort "$@" 2>said | cat >got || got=$?
    runs=$((runs + 1))
    "$REFERENCE" "$@" "$file" >wanted
    if [ -s report ] || ! cmp -s wanted got; then
        fault "$* <pipe >pipe: an error or wrong output"
    fi
}

for n in 0 1 2 1000 4097 70000 300000; do
    "$KEYGEN" uniform "$n" >uniform.$n
    sorts uniform.$n
done
for name in zipf few equal sorted reversed organ-pipe two-clusters all-but-one max-keys; do
    "$KEYGEN" "$name" 150000 >dist."$name"
    sorts dist."$name"
done
for file in uniform.70000 dist.zipf dist.few; do
    sorts "$file" -r
    sorts "$file" -u
    sorts "$file" -r -u
    pipes "$file" -r -u
done
pipes uniform.300000
pipes uniform.0
for engine in atomicmin reduction hybrid; do
    for lists in 1 16 256; do
        expect 0 --verify --engine=$engine --lists=$lists uniform.4097 -o got
        "$REFERENCE" uniform.4097 >wanted
        cmp -s wanted got || fault "--engine=$engine --lists=$lists: wrong output"
    done
done

"$KEYGEN" uniform 1000000 >uniform.1000000
sorts_within()
{
    local file=$1
    shift
    expect 0 --verify -S 64K -T . "$@" "$file" -o got
    "$REFERENCE" "$@" "$file" >wanted
    cmp -s wanted got || fault "-S 64K $* $file: wrong output"
}
sorts_within uniform.1000000
sorts_within uniform.300000 -r -u
"$KEYGEN" zipf 500000 | "$REFERENCE" >one
"$REFERENCE" uniform.300000 >other
expect 0 -m --verify one other -o got
"$REFERENCE" one other >wanted
cmp -s wanted got || fault "-m: wrong output"
expect 2 -m one uniform.1000 -o never
expect 0 --plan -S 64K uniform.1000000

expect 0 --stats=json --progress=always --bins=100 --samples=1000 uniform.70000 dist.zipf -o two
expect 0 -c two
expect 1 -c uniform.1000
expect 1 -C uniform.300000
expect 0 -c -r dist.reversed
expect 0 -u two -o two
expect 0 -c -u two
expect 0 --help
expect 0 --version

head -c 3999 uniform.1000 >odd
expect 2 odd -o never
expect 2 missing
expect 2 .
expect 2 uniform.1000 -o missing/out
expect 2 uniform.70000 -o /dev/full
expect 2 --no-such-option
expect 2 --bins=0 uniform.1000
expect 2 --engine=none uniform.1000
if [ -e never ]; then
    fault "left an output behind that it should not have made"
fi

echo "valgrind: $runs runs, $failed with faults"
[ "$failed" -eq 0 ]
