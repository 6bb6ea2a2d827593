# Each rule of tests/tools/lint_house.awk reports the file that breaks it, and nothing else.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "no gsort runs here"
    cd "$BATS_TEST_TMPDIR" || return
    mkdir -p cli common data tests/tools \
        sort/{keys,bin/u32,split,run,cpu,pipeline,sorter,api,device/kernels,gpu}
    # A house that follows the rules.
    plant common/status.h 'extern "C" {' 'int gs_fail(const char *format, ...)' \
        '    __attribute__((format(printf, 1, 2)));' '}'
    plant common/status.c '#include "common/status.h"' 'int gs_fail(const char *format, ...)' \
        '{' '    return 2;' '}'
    plant sort/sort.h '#include "common/status.h"' 'int gs_sort(int a,' '            int b);'
    plant sort/api/sort.c '#include "sort/sort.h"' '#include "sort/cpu/stages_cpu.h"' \
        'static int f(void);' 'int gs_sort(int a,' '            int b)' '{' \
        '    if (a) {' '        return gs_stages_cpu.sort(b);' '    }' '    return f();' '}'
    plant sort/cpu/stages_cpu.h '#include "sort/run/run.h"' 'struct gs_stages {' \
        '    int (*sort)(int b);' '};' 'typedef void gs_hook(int status);' \
        'extern const struct gs_stages gs_stages_cpu;' 'extern int gs_order[4];' \
        'static inline int f(int a)' '{' '    return gs_run(a);' '}'
    plant sort/cpu/stages_cpu.c '#include "sort/cpu/stages_cpu.h"' $'#define X(a) \\\n{' \
        'const struct gs_stages gs_stages_cpu = {' '    .sort = f,' '};' \
        'int gs_order[4];'
    plant sort/run/run.h 'int *gs_run(int);'
    plant sort/run/run.c '#include "sort/run/run.h"' \
        '__attribute__((target("avx2"))) int *gs_run(int a)' '{' '    return a;' '}'
    plant sort/bin/u32/lanes.c '#include <immintrin.h>' '__m512i x;'
    plant sort/keys/order.c '/* _mm512_add_epi32 */'
    plant cli/main.c '#include "sort/sort.h"' '#include "common/status.h"'
    plant data/dist.h 'int dist(int);'
    plant tests/test_run.c '#include "sort/run/run.h"' '#include "data/dist.h"' \
        '#include "cli/options.h"'
}

# plant FILE [LINE...]: write a source.
plant()
{
    local file=$1
    shift
    printf '%s\n' "$@" >"$file"
}

lint()
{
    mapfile -t sources < <(find cli common data sort tests -name '*.[ch]' -o -name '*.cu')
    awk -f "$ROOT/tests/tools/lint_code.awk" -f "$ROOT/tests/tools/lint_house.awk" "$@" \
        "${sources[@]}"
}

# finds FINDING...: lint reports lines with these beginnings, in any order, and no other.
finds()
{
    local finding
    run -1 lint
    for finding; do
        if [[ $'\n'$output != *$'\n'"$finding"* ]]; then
            echo "wanted '$finding', got: $output" >&2
            return 1
        fi
    done
    if [ "${#lines[@]}" -ne "$#" ]; then
        echo "wanted $# findings, got: $output" >&2
        return 1
    fi
}

@test "a house that follows the rules has no findings" {
    run -0 lint
    [ -z "$output" ]
}

@test "an include names the same room or one on a lower floor" {
    local file target
    while read -r file target; do
        plant "$file" 'int x;' "#include \"$target\""
        finds "$file:2: may not include $target"
        rm "$file"
    done <<'EOT'
sort/run/a.c sort/cpu/regions.h
sort/bin/u32/a.c sort/split/split.h
sort/bin/a.c sort/device/device.h
sort/device/kernels/a.cu sort/bin/u32/lanes.h
sort/cpu/a.c sort/sort.h
sort/cpu/a.c sort/merge.h
sort/gpu/a.c sort/incoming.h
sort/pipeline/a.c sort/external.h
sort/run/a.c sort/attic/attic.h
sort/run/a.c run.h
sort/run/a.c data/dist.h
sort/run/a.c cli/options.h
sort/sorter/a.c tests/a.h
common/a.c sort/keys/order.h
common/a.c cli/options.h
data/a.c sort/sort.h
cli/a.c data/dist.h
cli/a.c sort/run/run.h
EOT
    while read -r file target; do
        plant "$file" "#include \"$target\""
        run -0 lint
        rm "$file"
    done <<'EOT'
sort/bin/a.c sort/bin/u32/lanes.h
sort/api/a.c sort/sort.h
cli/a.c sort/sort.h
data/a.c data/dist.h
EOT
}

@test "every source is in a room" {
    mkdir sort/attic
    plant sort/attic/a.c 'int x;'
    finds 'sort/attic/a.c:1: is in no room'
    rm sort/attic/a.c
    plant sort/a.c 'int x;'
    finds 'sort/a.c:1: is in no room'
}

@test "only u32/ and device/ have code for one processor" {
    local line
    while read -r line; do
        plant sort/cpu/a.c 'int x;' "$line"
        finds 'sort/cpu/a.c:2: code for vectors of 32-bit keys is in u32/'
    done <<'EOT'
#include <immintrin.h>
return _mm_min_epi32(a, b);
_mm256_add_epi32(a, b);
__m512i a;
f((__mmask16)a);
EOT
}

@test "includes go in no circle, where X.c and X.h are one" {
    plant sort/run/a.h 'int x;'
    plant sort/run/a.c '#include "sort/run/a.h"' '#include "sort/run/b.h"'
    plant sort/run/b.h '#include "sort/run/c.h"'
    plant sort/run/c.h 'int x;'
    run -0 lint
    plant sort/run/c.c '#include "sort/run/a.h"'
    local a=sort/run/a b=sort/run/b c=sort/run/c in='is in a circle of includes:'
    finds "$a.c:2: $in $a > $b > $c > $a" "$b.h:1: $in $b > $c > $a > $b" \
        "$c.c:1: $in $c > $a > $b > $c"
}
