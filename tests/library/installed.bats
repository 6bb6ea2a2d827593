# Programs are built against the installed library by pkg-config alone.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "the library sorts on the CPU"
    enter_directory
    export PKG_CONFIG_PATH=$LIBRARY/lib/pkgconfig LD_LIBRARY_PATH=$LIBRARY/lib
}

# compile COMPILER FILE [ARG...]: compile an example to ./program.
compile()
{
    local -a flags
    read -ra flags < <(pkg-config --cflags --libs ${STATIC:+--static} gsort)
    "$1" -Wall -Wextra -Wpedantic -Werror "$ROOT/tests/library/examples/$2" "${@:3}" \
        "${flags[@]}" -o program
}

@test "a program in C sorts numbers" {
    compile "${CC:-cc}" sort_doubles.c -std=c11
    run -0 ./program <<<'3 -1 2e9 -inf 0.5'
    [ "$output" = $'-inf\n-1\n0.5\n3\n2e+09' ]
}

@test "a program in C++17 orders records" {
    compile "${CXX:-g++}" order_words.cc -std=c++17
    run -0 ./program <<<'pear apple fig apple'
    [ "$output" = $'1 apple\n3 apple\n2 fig\n0 pear' ]
}

@test "a counter of k-mers pushes from two threads, and counts what it pulls" {
    compile "${CC:-cc}" kmers.c -std=c11 -pthread
    sequence=$(head -c 400000 /dev/urandom | LC_ALL=C tr -dc ACGT)
    ./program "$sequence" >counts
    awk '{ for (i = 1; i + 4 <= length($0); i++) print substr($0, i, 5) }' <<<"$sequence" |
        LC_ALL=C sort | uniq -c | awk '{ print $2, $1 }' | diff - counts
    run -2 ./program ACGN
}

@test "the static library" {
    STATIC=1 compile "${CC:-cc}" sort_doubles.c -std=c11 -L. "-Wl,-Bstatic" -lgsort "-Wl,-Bdynamic"
    rm -f libgsort.so
    LD_LIBRARY_PATH='' run -0 ./program <<<'2 1'
    [ "$output" = $'1\n2' ]
}

@test "nothing but gsort_ is seen from outside" {
    run -0 nm -D --defined-only "$LIBRARY/lib/libgsort.so.0"
    [ -z "$(awk '$2 != "A" && $3 !~ /^gsort_[a-z_]*@@GSORT_0$/' <<<"$output")" ]
    run -0 nm -g --defined-only "$LIBRARY/lib/libgsort.a"
    [ -z "$(awk 'NF == 3 && $3 !~ /^gsort_[a-z_]*$/' <<<"$output")" ]
}

# The calls of the header, a line each.
declarations()
{
    awk '/^GSORT_API/ { on = 1 } on { printf "%s ", $0 } /;/ { if (on) print ""; on = 0 }' \
        "$LIBRARY/include/gsort.h" | sed 's/^GSORT_API //'
}

@test "the header declares nothing but gsort_ and GSORT_, and all that is exported" {
    declarations | sed -n 's/^[^(]*[ *]\(gsort_[a-z_]*\)(.*/\1/p' | sort >declared
    nm -D --defined-only "$LIBRARY/lib/libgsort.so.0" |
        sed -n 's/.* T \(gsort_[a-z_]*\)@.*/\1/p' | sort >exported
    diff declared exported
    [ "$(wc -l <exported)" -ge 7 ]
    run -0 grep -oE '^#define [A-Za-z_0-9]+|^(struct|enum) [a-z_0-9]+ \{' "$LIBRARY/include/gsort.h"
    run ! grep -vE '^#define GSORT_|^(struct|enum) gsort_' <<<"$output"
    printf '#include <gsort.h>\n' >alone.c
    "${CC:-cc}" -std=c11 -Wpedantic -Werror -I "$LIBRARY/include" -fsyntax-only alone.c
    "${CXX:-g++}" -x c++ -std=c++17 -Wpedantic -Werror -I "$LIBRARY/include" -fsyntax-only alone.c
}

@test "each call is in a manual page, declared there as in the header" {
    declarations | sed -n 's/^[^(]*[ *]\(gsort_[a-z_]*\)(.*/\1/p' | sort >declared
    local page name
    find "$LIBRARY/share/man/man3" -type f -exec cat {} + | sed 's/\\-/-/g' >pages
    sed -n '/^\.SH NAME/,/^\.SH SYN/p' pages | grep -v '^\.' | sed 's/ - .*//' |
        grep -oE 'gsort_[a-z_]+' | sort >named
    diff declared named
    while read -r name; do # man NAME finds it
        grep -q "^\.BI* .*$name(" "$LIBRARY/share/man/man3/$name.3"
    done <named
    # The same words in the header and in the synopsis.
    declarations | tr -d ' \n' | tr ';' '\n' | sort >header
    sed -n '/^\.SH SYN/,/^\.fi/p' pages | sed -n 's/^\.BI\? //p' | grep -v '^#include' |
        tr -d ' "\n' | tr ';' '\n' | sort >synopses
    diff header synopses
}

@test "man shows each page of the library without a warning" {
    require man
    local page
    for page in "$LIBRARY"/share/man/man3/*.3; do
        run -0 --separate-stderr man --warnings -Tutf8 -l "$page"
        [ -z "$stderr" ] || { echo "$page: $stderr"; return 1; }
    done
}
