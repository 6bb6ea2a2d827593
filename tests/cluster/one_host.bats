# Ranks that are all on one host: the first sorts with the processors and memory of all.
# SPDX-License-Identifier: MIT

load ranks

setup()
{
    enter_ranks
}

# same INPUT ARG...: 3 ranks and one process write the same.
same()
{
    "$GSORT" "${@:2}" "$1" -o wanted
    ranks_of_host 3 "${@:2}" "$1" -o out
    cmp wanted out
    rm out
}

# stat_of NAME ARG...: print what --stats of 2 ranks says of that.
stat_of()
{
    ranks_of_host 2 --stats "${@:2}" in -o out 2>&1 | awk -v name="$1" '$1 == name { print $2 }'
}

@test "the same bytes as one process's, whatever the records" {
    keygen few 200000 >in
    reference in >wanted
    ranks_of_host 4 --verify in -o out
    assert_same wanted out
    rm out
    same in -t f64 -r
    same in -u
    same in -R 100 -k 0:b10 -s
    same in --argsort=u64
    same in --head=1000
    same in -u --tail=3
    same in --count=u32
    gsort -o known in
    same in -u --minus=known
    same in -R 5000 --format=raw --shuffle=1
    same in --shuffle=1 --head=7
}

@test "standard input, a FIFO, and an output that replaces the input" {
    keygen uniform 10000 >in
    reference in >wanted
    ranks_of_host 3 -o out < <(cat in)
    assert_same wanted out
    mkfifo pipe
    cat in >pipe &
    ranks_of_host 3 pipe -o out
    assert_same wanted out
    ranks_of_host 3 in -o in
    assert_same wanted in
    assert_only in out pipe wanted
}

@test "--stats is that of one process, printed once" {
    keygen uniform 100000 >in
    [ "$(stat_of keys)" = 100000 ]
    [ -z "$(stat_of rank)" ]
}

@test "processors that a launcher has given to one rank each" {
    local list
    mapfile -t list < <(seq 0 1023 | while read -r cpu; do
        taskset -c "$cpu" true 2>/dev/null && echo "$cpu"
    done)
    [ "${#list[@]}" -gt 1 ] || skip "there is one processor in all"
    cat >bound <<END
#!/bin/sh
[ "\${OMPI_COMM_WORLD_RANK:-\$PMI_RANK}" = 0 ] && cpu=${list[0]} || cpu=${list[1]}
exec taskset -c \$cpu "$GSORT_MPI" "\$@"
END
    chmod +x bound
    keygen uniform 4M >in
    GSORT_MPI=$PWD/bound
    [ "$(stat_of threads --device=cpu)" -eq 2 ]
    [ "$(stat_of threads --device=cpu --parallel=1)" -eq 2 ]
}

@test "-S is each rank's" {
    keygen uniform 1M >in
    reference in >wanted
    "$GSORT" --stats -S 8M in -o out 2>&1 | grep -q '^temporary *[1-9]'
    [ "$(stat_of temporary -S 8M)" -eq 0 ]
    [ "$(stat_of temporary -S 2M)" -gt 0 ]
    assert_same wanted out
}

@test "a file that is missing, a bad option: one line" {
    run --separate-stderr ranks_of_host 3 no-such-file -o out
    assert_one_line no-such-file
    run --separate-stderr ranks_of_host 3 --frobnicate no-such-file -o out
    assert_one_line frobnicate
    assert_only
}
