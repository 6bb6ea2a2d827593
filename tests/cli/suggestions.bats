# A wrong word gets the right ones, and other programs' words for the same are taken or named.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 1000 >in
    reference in >wanted
}

# hinted WORD ARG...: gsort ARG... is refused in one line that has WORD and ends in the hint at -h.
hinted()
{
    local word=$1
    shift
    run -2 --separate-stderr gsort "$@"
    assert_trouble "$word"
    [[ $stderr = *"; try 'gsort -h'" ]] || {
        echo "by gsort $*: $stderr" >&2
        return 1
    }
    [ ! -e out ]
}

@test "an option that is nearly right, or is another program's" {
    hinted "unrecognized option '--chekc' (did you mean --check?)" --chekc in
    hinted "(did you mean --parallel?)" --paralel=2 in -o out
    hinted "(did you mean --temporary-directory?)" --temporay-directory=. in -o out
    hinted "(did you mean --reverse?)" --REVERSE in -o out
    hinted "(did you mean --parallel?)" --jobs=2 in -o out
    hinted "(did you mean --buffer-size?)" --memory=1G in -o out
    hinted "(did you mean --device=gpu?)" --gpu in -o out
    hinted "(did you mean --stats=json?)" --json in -o out
    hinted "(did you mean --record?)" --record-size=4 in -o out
    hinted "(did you mean --check=quiet?)" -q in -o out
    hinted "(files to read need no option)" -i in -o out
    hinted "(files to read need no option)" --in=in -o out
    run -2 --separate-stderr gsort --frobnicate in -o out
    [ "$stderr" = "gsort: unrecognized option '--frobnicate'; try 'gsort -h'" ]
}

@test "a word that is wrong gets the list, and the nearest" {
    local engines="it is auto, samplesort, atomicmin, reduction or hybrid"
    hinted "$engines (did you mean hybrid?)" -e hybrd in -o out
    hinted "$engines;" -e radix in -o out
    hinted "it is auto, cpu or gpu" --device=fpga in
    hinted "it is text or json (did you mean json?)" --stats=jsn in -o out
    hinted "it is auto, always or never" --progress=sometimes in -o out
    hinted "it is auto or raw" --format=npy in -o out
    hinted "it is diagnose-first, quiet or silent" --check=loud in
    hinted "it is u32 or u64" --argsort=i32 in -o out
    hinted "u8 u16 u32 u64 u128" -t u33 in -o out
}

# Python's float has 64 bits, C's 32: neither is taken for granted.
@test "a type that is nearly right, or does not say how many bits" {
    for pair in u46:u64 i23:i32 f33:f32 U46BE:u64be doubel:double float:"f32 or f64" \
        int:"i32 or i64" uint:"u32 or u64" u64,u31r:u32r ipv4:u32be; do
        hinted "'${pair%%:*}' (did you mean ${pair#*:}?): it is one of u8" \
            -t "${pair%%:*}" in -o out
    done
    hinted "argument '0:i46r' (did you mean i64r?)" -R 8 -k 0:i46r in -o out
    hinted "argument 'string': it is one of u8" -t string in -o out
    cp in x.float
    hinted "x.float: its name says float, and without -t it is taken for u32: use -t f32 or f64" \
        x.float -o out
}

@test "a file to write that is named as one to read" {
    hinted "out: does not exist: -o out would write it" in out
    hinted "out: does not exist: -o out would write it" -r in in out
    run -2 --separate-stderr gsort -c in out
    assert_trouble "out: cannot read"
    run -2 --separate-stderr gsort out
    assert_trouble "out: cannot read"
}

@test "every refusal of a command line hints at -h, under the program's name" {
    hinted "options '-c' and '-o' are incompatible" -c in -o out
    hinted "-k needs -R" -k 0:u32 in -o out
    hinted "is not from 1 to" --parallel=0 in -o out
    hinted "requires an argument" in -o
    cp "$GSORT" keysort
    run -2 --separate-stderr ./keysort --frobnicate
    [[ $stderr = "keysort: "*"; try 'keysort -h'" ]]
    run -2 --separate-stderr gsort nosuch -o out
    [[ $stderr != *-h* ]]
}

@test "other names and spellings are taken" {
    for options in "-j 2" -j2 --threads=2 --device=CPU "-e SampleSort" "-t U32" "-t uint32" \
        "-t <u4" "-t le32" "-t uint32_t" "-R 4B -k 0x0:u32" "-S 4MiB" "-S 8MB" "-S 0.5G" \
        --skip=0k; do
        # shellcheck disable=SC2086  # words
        gsort $options in -o out
        assert_same wanted out
    done
    gsort -t u32 --skip=1k in -o out
    (head -c 1024 in && tail -c +1025 in | gsort -t u32) | cmp - out
    gsort --dry-run in | grep -Ev '^(memory|fresh|cold|time)' >dry
    gsort --plan in | grep -Ev '^(memory|fresh|cold|time)' | cmp dry -
    gsort -V | cmp - <(gsort --version)
    keygen --type=f64be uniform 1000 >doubles
    reference -t f64be doubles >wanted
    for type in f64be F64BE float64be doublebe '>f8'; do
        gsort -t "$type" doubles | cmp wanted -
    done
}

@test "-h fits a terminal of 24 lines and 80 columns, and has examples that work" {
    run -0 --separate-stderr gsort -h
    [ -z "$stderr" ]
    [ ${#lines[@]} -le 23 ] # with the prompt
    for line in "${lines[@]}"; do
        [ ${#line} -le 80 ]
    done
    for word in -o -t -R -k -r -u -s -c -m -S -T --stats --plan --help Examples; do
        grep -q -- "^ *$word" <<<"$output"
    done
    [ "$(grep -c '^  .*gsort' <<<"$output")" -ge 4 ]
    cp in in.bin
    grep '^  gsort' <<<"$output" | sed 's/   .*[^ ]*$//' | while read -r command; do
        keygen uniform 4000 >in
        eval "$command" || exit
    done
}

@test "--help begins with what people need" {
    gsort --help | grep -E '^ [^ ].*:$' | head -5 >groups
    printf ' %s:\n' 'What to do' 'One record of each key, as -u writes' Formats Resources Reports |
        cmp groups -
}

@test "a size that does not fit says what may help" {
    printf '%4001s' '' | tr ' ' '\377' >odd
    run -2 --separate-stderr gsort odd -o out
    assert_trouble "odd: size 4001 is not a multiple of 4 (remainder 1): -t or -R says" "--skip"
}
