# Each rule of tests/tools/lint_rules.awk reports the line that breaks it, and nothing else.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "no gsort runs here"
    cd "$BATS_TEST_TMPDIR" || return
    mkdir cli common sort data tests
}

# source_file FILE [LINE...]: write a source with a correct header and these lines from line 4.
source_file()
{
    local file=$1 base=${1##*/}
    shift
    printf '/* %s -- an example.\n * SPDX-License-Identifier: MIT\n */\n' "$base" >"$file"
    [ "$#" -eq 0 ] || printf '%b\n' "$@" >>"$file"
}

lint()
{
    awk -f "$ROOT/tests/tools/lint_code.awk" -f "$ROOT/tests/tools/lint_rules.awk" "$@"
}

# finds LINE WORD FILE: lint reports one finding only, in this line of the file and with this word.
finds()
{
    run -1 lint "$3"
    if [ "${#lines[@]}" -ne 1 ] || [[ $output != "$3:$1: "*"$2"* ]]; then
        echo "wanted one finding at $3:$1 about '$2', got: $output" >&2
        return 1
    fi
}

@test "files that follow the rules have no findings" {
    source_file sort/a.c '#include "common/status.h"' '#include "sort/sort.h"' \
        'static int f(void)\n{\n    return snprintf(b, n, "exit(printf(");\n}' \
        '/* exit(1) is for cli/ alone; it may\n * fprintf(stderr, "") */' \
        "int c = '\"'; /* \" */ int exit_status(void);"
    source_file cli/b.c '#include "cli/b.h"' '#include "sort/sort.h"' 'printf("x"), exit(2);'
    source_file data/keygen.c '#include "data/dist.h"' 'puts("x");'
    source_file sort/c.h '#ifndef GS_C_H' '#define GS_C_H' '#endif'
    printf '#!/bin/sh\n# d.sh -- an example\n# SPDX-License-Identifier: MIT\n' >tests/d.sh
    printf '# One behaviour.\n# SPDX-License-Identifier: MIT\n' >tests/e.bats
    run -0 lint sort/a.c cli/b.c data/keygen.c sort/c.h tests/d.sh tests/e.bats
    [ -z "$output" ]
}

@test "only cli/ and tools print and exit" {
    local file word code
    while read -r file word code; do
        source_file "$file" "$code"
        finds 4 "$word" "$file"
    done <<'EOF'
sort/a.c print fprintf(file, text);
sort/a.cu print printf("x");
common/a.c print perror(name);
common/a.c print setbuf(stderr, 0);
data/dist.c print puts("x");
sort/a.c exit exit(2);
common/a.c exit _exit(2);
sort/a.c exit if (x) abort();
EOF
}

@test "rules for lines of code" {
    local file word code
    while read -r file word code; do
        source_file "$file" "$code"
        finds 4 "$word" "$file"
    done <<'EOF'
sort/a.c #if #ifdef GS_CUDA
sort/a.c tab int\tx;
sort/a.c white int x;\x20
sort/a.c left /* TO\x44O */
EOF
    source_file tests/a.c "$(printf '%101s' x)"
    finds 4 columns tests/a.c
    source_file tests/a.c "$(printf '\\n%.0s' {1..500})"
    finds 504 longer tests/a.c
}

@test "rules for the first lines of a file" {
    printf '/* b.c -- another name\n * SPDX-License-Identifier: MIT\n */\n' >sort/a.c
    finds 1 "first line" sort/a.c
    printf '/* a.c -- an example\n */\n' >sort/a.c
    finds 1 SPDX sort/a.c
    printf '/* a.c -- an example that goes\n * on. SPDX-License-Identifier: MIT\n */\n' >sort/a.c
    finds 1 SPDX sort/a.c
    source_file sort/a.h '#ifndef GS_B_H' '#define GS_B_H' '#endif'
    finds 1 guard sort/a.h
    printf '#!/bin/sh\n# SPDX-License-Identifier: MIT\n' >tests/a.sh
    finds 2 "first line" tests/a.sh
    printf '# no sentence\n# SPDX-License-Identifier: MIT\n' >tests/a.bats
    finds 1 sentence tests/a.bats
}
