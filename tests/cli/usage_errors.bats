# A wrong command line gives status 2 and a reason, and nothing is written.
# SPDX-License-Identifier: MIT

load ../helper

# refused WORD ARG...: gsort ARG... is refused in one line that contains WORD.
refused()
{
    local word=$1
    shift
    run -2 --separate-stderr gsort "$@" <in
    [ -z "$output" ]
    [[ $stderr == *gsort:\ * && $stderr == *"$word"* && ${#stderr_lines[@]} -eq 1 ]] || {
        echo "by gsort $*: $stderr" >&2
        return 1
    }
    [ ! -e out ]
}

setup()
{
    enter_directory
    keygen uniform 100 >in
}

@test "unknown options are refused" {
    refused frobnicate --frobnicate in -o out
    refused Z -Z in -o out
    refused reverse --reverse=yes in -o out
}

@test "an unknown option with control characters, or a long one, is reported in one line" {
    refused "--no?such" $'--no\nsuch' in -o out
    refused "--no?[31msuch" $'--no\e[31msuch' in -o out
    refused "'?'" $'-\n' in -o out
    refused frobnicate "--frobnicate=$(printf '%9000s' "")" in -o out
}

@test "messages name the program even if its argv[0] is empty" {
    run -2 --separate-stderr bash -c 'exec -a "" "$GSORT" --frobnicate'
    assert_trouble frobnicate
}

@test "missing option arguments are refused" {
    refused o in -o
    refused output in --output
    refused engine in --engine
    refused S in -S
}

@test "unknown option arguments are refused" {
    refused quicksort --engine=quicksort in -o out
    refused quicksort -e quicksort in -o out
    refused tpu --device=tpu in -o out
    refused xml --stats=xml in -o out
    refused sometimes --progress=sometimes in -o out
    refused npy --format=npy in -o out
    refused loud --check=loud in
}

@test "empty option arguments are refused" {
    refused gsort --engine= in -o out
    refused gsort --device= in -o out
    refused gsort --stats= in -o out
    refused gsort --progress= in -o out
    refused gsort in --output=
}

@test "arguments that are not numbers are refused" {
    for option in samples bins lists parallel; do
        for value in "" x -1 1x 1.5 0x10 99999999999999999999 " 1"; do
            refused gsort "--$option=$value" in -o out
        done
    done
}

@test "numbers out of range are refused" {
    refused 0 --parallel=0 in -o out
    refused 0 --lists=0 in -o out
    refused 3 -e hybrid --lists=3 in -o out
    refused 512 -e hybrid --lists=512 in -o out
    refused 0 --bins=0 in -o out
    refused 0 --samples=0 in -o out
}

@test "a check writes no file" {
    refused o -c in -o out
    refused stats -c --stats in
    refused verify -C --verify in
    refused "'-c' and '-C'" -c -C in
}

@test "two different outputs are refused" {
    refused gsort in -o out -o other
    [ ! -e other ]
}

@test "the same output twice is allowed" {
    gsort in -o out -o out
    gsort -C out
}
