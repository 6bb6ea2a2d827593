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
    [[ $(field output) == *" 12000000 bytes" ]]
    [[ $(field time) =~ about\ [0-9.]+\ s$ ]]
    [[ $(field fresh) =~ ^fresh\ +[0-9]+\ bytes,\ at\ [0-9.]+\ GB/s\ now$ ]]
    [ "$(field cold)" = "cold       0 bytes" ]
    [[ $(field device) =~ (cpu|gpu)\ \(.+\) ]]
    assert_only in plan
}

@test "the plan of an input that is not in the page cache, which takes longer" {
    require_disk
    sync in
    drop_cache in
    gsort --plan in >plan
    [[ $(field cold) =~ ^cold\ +12000000\ bytes,\ at\ [0-9.]+\ GB/s\ now$ ]]
}

@test "the plan of an external sort" {
    mkdir a b
    gsort --plan -S 1M -T a -T b in in >plan
    [[ $(field method) == *"external sort" ]]
    [[ $(field passes) == *2 ]]
    [ "$(field temporary)" = "temporary  24000000 bytes at most in a, b" ]
    [ -z "$(find a b -mindepth 1)" ]
    gsort --plan --device=cpu -S 1M -T a --argsort=u32 in >plan # with positions
    [ "$(field temporary)" = "temporary  36000000 bytes at most in a" ]
}

@test "the plan of a merge, and of pipes" {
    gsort --plan -m -u in in >plan
    [[ $(field method) == *merge ]]
    [[ $(field output) == *" 24000000 bytes at most" ]]
    mkfifo fifo # --plan does not open it, which would wait for a writer
    gsort --plan fifo in >plan
    [[ $(field inputs) == *"2, 3000000 keys and what pipes will bring" ]]
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

@test "the progress line is erased before the plan is printed" {
    gsort --plan --progress=always in -o out >both 2>&1
    [[ $(grep -a "^.*inputs" both) == *$'\e[K'"inputs     1, 3000000 keys" ]]
}

# number NAME [N]: print the N-th number (default: the first) in a row of the plan.
number()
{
    field "$1" | grep -oE '[0-9.]+' | head -n "${2:-1}" | tail -n 1
}

# least_time OPTION...: print the least of several plans' times, which depend on how fast fresh
# memory is in the moment.
least_time()
{
    local i
    for ((i = 0; i < 7; i++)); do
        gsort --plan --device=cpu "$@" >plan
        number time
    done | sort -g | head -n 1
}

@test "the plan's memory is -S, or less if that is enough; temporary files take time" {
    truncate -s 4G large # --plan reads no byte of it
    gsort --plan --device=cpu -S 100G large >plan
    [[ $(field method) == *"sort in memory" ]]
    [ "$(number memory 2)" = $((100 << 30)) ]
    [ "$(number memory)" -ge $((4 << 30)) ]
    [ "$(number memory)" -lt $((12 << 30)) ]
    gsort --plan --device=cpu -S 64M large >plan
    [[ $(field method) == *"external sort" ]]
    [ "$(field memory)" = "memory     67108864 bytes of 67108864" ]
    gsort --plan -m -S 64M large large >plan
    [ "$(number memory 2)" -eq 67108864 ]
    [ "$(number memory)" -le $((32 << 20)) ] # the other half is for keys from pipes
    awk -v whole="$(least_time -S 64M large)" -v sort="$(least_time -S 100G large)" \
        'BEGIN { exit !(whole > sort + 0.4) }'
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
    [ "$(number memory 2)" -lt $((with * 3 / 4)) ]
}
