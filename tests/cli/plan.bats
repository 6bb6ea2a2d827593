# --plan prints what gsort would do, and does nothing.
# SPDX-License-Identifier: MIT

load ../helper

field()
{
    awk -v name="$1" '$1 == name' plan
}

setup()
{
    enter_directory
    keygen uniform 3000000 >in
}

@test "the plan of a sort in memory" {
    gsort --plan in -o out >plan
    [ "$(field inputs)" = "inputs     1, 3000000 keys" ]
    [[ $(field method) == *"sort in memory" ]]
    [[ $(field passes) == *1 ]]
    [[ $(field temporary) == *" 0 bytes in "* ]]
    [[ $(field output) == *" 12000000 bytes (11.4 MiB), with "*" free" ]]
    [[ $(field time) =~ about\ [0-9.]+\ s$ ]]
    [[ $(field fresh) =~ ^fresh\ +[0-9]+\ bytes\ \([0-9.]+\ MiB\),\ at\ [0-9.]+\ GB/s\ now$ ]]
    [ "$(field cold)" = "cold       0 bytes" ]
    [[ $(field device) =~ (cpu|gpu)\ \(.+\) ]]
    assert_only in plan
}

@test "the plan of an input that is not in the page cache, which takes longer" {
    require_disk
    sync in
    drop_cache in
    gsort --plan in >plan
    [[ $(field cold) =~ ^cold\ +12000000\ bytes\ \(11\.4\ MiB\),\ at\ [0-9.]+\ GB/s\ now$ ]]
}

@test "the plan of an external sort" {
    mkdir a b
    gsort --plan -S 1M -T a -T b in in >plan
    [[ $(field method) == *"external sort" ]]
    [[ $(field passes) == *2 ]]
    [[ $(field temporary) == "temporary  24000000 bytes (22.9 MiB) at most in a, b ("*" free)" ]]
    [ -z "$(find a b -mindepth 1)" ]
    gsort --plan --device=cpu -S 1M -T a --argsort=u32 in >plan # with positions
    [[ $(field temporary) == "temporary  36000000 bytes (34.3 MiB) at most in a ("*" free)" ]]
}

@test "the plan of a merge, and of pipes" {
    gsort --plan -m -u in in >plan
    [[ $(field method) == *merge ]]
    [[ $(field output) == *" 24000000 bytes (22.9 MiB) at most" ]]
    mkfifo fifo # --plan does not open it, which would wait for a writer
    gsort --plan fifo in >plan
    [[ $(field inputs) == *"2, 3000000 keys and what pipes will bring" ]]
    gsort --plan fifo >plan
    [ "$(field inputs)" = "inputs     1, unknown: what pipes will bring" ]
    [ "$(field time)" = "time       unknown" ]
    [ "$(field output)" = "output     unknown" ]
}

@test "the plan of a shared-memory engine, and too many keys for it" {
    keygen uniform 1000 >few
    gsort --plan -e hybrid few >plan
    [[ $(field engine) == *hybrid ]]
    run -2 --separate-stderr gsort --plan -e hybrid in
    assert_trouble hybrid 38656
}

@test "--plan refuses missing files, -c and a full output" {
    run -2 --separate-stderr gsort --plan missing
    assert_trouble missing
    run -2 --separate-stderr gsort --plan -c in
    assert_trouble "'-c' and '--plan' are incompatible"
    [ -w /dev/full ] || skip "no /dev/full here"
    run -2 --separate-stderr bash -c 'gsort --plan in >/dev/full'
    assert_trouble "No space left"
}

@test "no progress line stands in front of the plan" {
    gsort --plan --progress=always in -o out >both 2>&1
    [ "$(grep -a inputs both)" = "inputs     1, 3000000 keys" ]
}

# number NAME [N]: print the N-th number (default: the first) in a row of the plan.
number()
{
    field "$1" | grep -oE '[0-9.]+' | head -n "${2:-1}" | tail -n 1
}

# What it takes in seconds depends on the moment: unit test external_forecast.
@test "the plan's memory is -S, or less if that is enough" {
    truncate -s 4G large # --plan reads no byte of it
    gsort --plan --device=cpu -S 100G large >plan
    [[ $(field method) == *"sort in memory" ]]
    [ "$(number memory 2)" = $((100 << 30)) ]
    [ "$(number memory)" -ge $((4 << 30)) ]
    [ "$(number memory)" -lt $((12 << 30)) ]
    gsort --plan --device=cpu -S 64M large >plan
    [[ $(field method) == *"external sort" ]]
    [ "$(field memory)" = "memory     67108864 bytes of 67108864 (64.0 MiB of 64.0 MiB)" ]
    gsort --plan -m -S 64M large large >plan
    [ "$(number memory 2)" -eq 67108864 ]
    [ "$(number memory)" -le $((32 << 20)) ] # the other half is for keys from pipes
}

@test "an output on tmpfs reduces the memory for sorting" {
    [ -d /dev/shm ] && [ -w /dev/shm ] || skip "no second file system here"
    [ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip "/dev/shm is no tmpfs here"
    truncate -s 1G large
    gsort --plan large -o out >plan
    without=$(number memory 2)
    [ "$without" -gt $((2 << 30)) ] || skip "too little memory here"
    gsort --plan large -o /dev/shm/gsort-no-such-file >plan
    with=$(number memory 2)
    [ "$with" -lt $((without - (256 << 20))) ]
    mkfifo fifo # its keys would be in buffers and in the output
    gsort --plan large fifo -o /dev/shm/gsort-no-such-file >plan
    [ "$(number memory)" -lt $((with * 3 / 4)) ] # "unknown, at most"
}

@test "no line of a plan has more than 79 columns" {
    for _ in {1..50}; do
        options+=(-T "$PWD")
    done
    gsort --plan -S 1M "${options[@]}" -o out in >plan
    run ! grep -E '.{80}' <(grep -v "$PWD" plan)
}

# refused WORD ARG...: one line with this word, no plan, nothing written.
refused()
{
    run -2 --separate-stderr "$GSORT" --plan "${@:2}"
    assert_trouble "$1"
    [ -z "$output" ]
    assert_only in directory
}

@test "a run that cannot work has no plan, but one line and status 2" {
    mkdir directory
    refused "missing/out: cannot be created" in -o missing/out
    refused "directory" in -o directory
    refused "missing: " -S 1M -T missing in
    TMPDIR=missing refused "missing: no directory for temporary files: set -T or TMPDIR" -S 1M in
    [ "$(id -u)" -eq 0 ] || {
        chmod a-w directory
        refused "directory/out: " in -o directory/out
        refused "directory: " -S 1M -T directory in
    }
    TMPDIR=missing gsort --plan in -o out # needs none
    gsort --plan in -o /dev/null
}

@test "too little space for output or temporary files" {
    truncate -s 100T large || skip "no file of that size here"
    run -2 --separate-stderr gsort --plan large -S 1M -o out
    assert_trouble "out: no room for an output of 100.0 TiB, only for "
    run -2 --separate-stderr gsort --plan large -S 1M -T .
    assert_trouble ".: no room for temporary files of 100.0 TiB, only for "
    [[ $stderr == *"name a directory with -T"* ]]
    assert_only in large
}

@test "--split needs room for its copies, too" {
    mount_memory small 16m
    gsort --plan --split=4 in -o part-%d >plan
    [[ $(field output) == *" 12000000 bytes (11.4 MiB), for a while nearly twice, with "* ]]
    gsort --plan in -o small/out
    run -2 --separate-stderr gsort --plan --split=4 in -o small/part-%d
    assert_trouble "small/part-0: no room for an output and its parts of 20.0 MiB, only for "
    run -2 --separate-stderr gsort --split=4 in -o small/part-%d # it is true
    [ -z "$(ls small)" ]
}

@test "--plan=json has the same facts" {
    require python3
    mkfifo fifo
    gsort --plan=json in -o out >plan
    gsort --plan=json -S 1M -T . in >spilled
    gsort --plan=json fifo >pipe
    python3 -c '
import json
plan, spilled, pipe = (json.load(open(name)) for name in ("plan", "spilled", "pipe"))
assert plan["version"] == 1 and plan["inputs"] == ["in"] and plan["output"] == "out", plan
assert plan["keys"] == 3000000 and plan["output_bytes"] == 12000000, plan
assert plan["temporary_bytes"] == 0 and plan["passes"] == 1, plan
assert plan["output_free_bytes"] > 12000000 and plan["seconds"] > 0, plan
assert spilled["method"] == "external sort" and spilled["directories"] == ["."], spilled
assert spilled["temporary_bytes"] == 12000000 < spilled["temporary_free_bytes"], spilled
assert pipe["pipes"] and all(pipe[name] is None for name in (
    "keys", "memory_bytes", "temporary_bytes", "output_bytes", "seconds")), pipe'
}
