# Ranks that were started with different command lines say which option of which rank, and end.
# SPDX-License-Identifier: MIT

load ranks

setup()
{
    enter_ranks
    end_at_once
    keygen uniform 1000 >in
    cp in in-0
    cp in in-1
    cp in in-2
}

# differ WORD FIRST... : LAST...: refused in one line that names the last rank and this word.
differ()
{
    run --separate-stderr two_lines "${@:2}"
    assert_one_line "rank 2 has" "$1"
    [ -z "$output" ]
    assert_only in in-0 in-1 in-2
}

# list_options: each option of --help as it is written, with a value if it takes one.
list_options()
{
    "$GSORT" --help | grep -Eo -- '(^ +-[a-zA-Z]\b|--[a-z][a-z-]+(\[?=[A-Z]+)?)' |
        sed -E 's/^ +//; s/\[?=[A-Z]+/=1/' | sort -u
}

@test "every option, on the last rank only, or on all others, whatever they do together" {
    local option how line
    list_options >options
    [ "$(wc -l <options)" -ge 40 ]
    mapfile -t options <options
    rm options
    for option in "${options[@]}"; do
        take_few "in -o out" "--apart in -o out" "--local in-%r -o out-%r" "-c in" "-m in -o out" \
            "--plan in"
        for how in "${TURNS[@]::1}"; do
            read -ra line <<<"$how"
            differ "'$option'" "${line[@]}" : "$option" "${line[@]}"
            is_expensive || continue
            differ "'$option'" "${line[@]}" "$option" : "${line[@]}"
        done
    done
}

@test "values, names, and a rank that has more or fewer of them" {
    differ "'-S 5M' where rank 0 has '-S 4M'" -S 4M in -o out : -S 5M in -o out
    differ "'-o other' where rank 0 has '-o out'" in -o out : in -o other
    differ "'--apart in-1' where rank 0 has '--apart in'" --apart in -o out : --apart in-1 -o out
    differ "'in' where rank 0 has nothing" --apart -o out : --apart -o out in
    differ "nothing where rank 0 has 'in'" --apart -o out in : --apart -o out
}

@test "--help or --version on one rank, and a line that cannot be read on another" {
    differ "'--version'" --help : --version
    differ "'in'" --help : in -o out
    differ "'--version'" in -o out : --version
    differ "'--frobnicate'" in -o out : --frobnicate in -o out
    differ "'in'" --frobnicate in -o out : in -o out
    differ "'no-such-file'" in -o out : no-such-file -o out
}

@test "POSIXLY_CORRECT, by which the same words mean something else" {
    # shellcheck disable=SC2016  # for the shell of each rank
    cat >each <<END
#!/bin/sh
[ "\${OMPI_COMM_WORLD_RANK:-\$PMI_RANK}" != 1 ] || export POSIXLY_CORRECT=1
exec "$GSORT_MPI" "\$@"
END
    chmod +x each
    GSORT_MPI=$PWD/each
    run --separate-stderr ranks 3 in -o out -r
    assert_one_line "rank 1 has" POSIXLY_CORRECT
    assert_only each in in-0 in-1 in-2
}

@test "the same line on all: --help, --version, -c and --plan are answered once" {
    for how in --help --version --usage "--plan in"; do
        # shellcheck disable=SC2086  # words
        "$GSORT" $how | grep -Ev '^(MPI:|memory|fresh|time)' >wanted
        # shellcheck disable=SC2086  # words
        two_lines $how : $how | grep -Ev '^(MPI:|memory|fresh|time)' >got
        sed -i 's/gsort-mpi/gsort/; /GiB/d; s/  */ /g' wanted got
        cmp wanted got
    done
    run -1 --separate-stderr two_lines -c in : -c in
    [ "$(grep -c '^gsort-mpi: in:1: disorder' <<<"$stderr")" -eq 1 ]
    "$GSORT" in -o sorted
    two_lines -c sorted : -c sorted
    run --separate-stderr two_lines -c no-such-file : -c no-such-file
    assert_one_line no-such-file
}
