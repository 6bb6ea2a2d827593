# Completion for bash, zsh and fish is made from the program: it has every option, and every word.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    [ -x "$ROOT/cli/completions.sh" ] || skip "no completions.sh in this tree"
    mkdir directory
    true >data.bin
}

make_completion()
{
    "$ROOT/cli/completions.sh" "$1" "$GSORT" gsort >"made.$1"
}

# complete_bash WORD...: what bash completes the last word to. It splits at =, as WORDs are here.
complete_bash()
{
    bash --norc -c 'compopt() { :; }; . ./made.bash
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gsort
        printf "%s\n" "${COMPREPLY[@]}"' bash gsort "$@"
}

# The options of --help, long and short, one a line.
options()
{
    gsort --help | sed -n '/^  \{1,6\}-/ { s/^ *//; s/   .*//; s/  .*//; p }' | tr -s ', ' '\n' |
        sed 's/\[\{0,1\}=.*//' | sort -u
}

@test "bash completes the options of --help" {
    make_completion bash
    options >wanted
    [ "$(wc -l <wanted)" -ge 30 ]
    complete_bash - | sed 's/=$//' | sort -u >got
    assert_same wanted got
}

@test "bash completes the words of an option, behind = and behind a space" {
    make_completion bash
    [ "$(complete_bash --device = | xargs)" = "auto cpu gpu" ]
    [ "$(complete_bash --device = g)" = gpu ]
    [ "$(complete_bash -e s)" = samplesort ]
    [ "$(complete_bash -t f6)" = f64 ]
    [ "$(complete_bash --stats = j)" = json ]
}

@test "bash completes files, and directories for -T" {
    make_completion bash
    [ "$(complete_bash da)" = data.bin ]
    [ "$(complete_bash -o da)" = data.bin ]
    [ "$(complete_bash --stats da)" = data.bin ]
    [ "$(complete_bash -T d)" = directory ]
}

@test "zsh has the options of --help, and their words" {
    make_completion zsh
    options >wanted
    sed -n "s/^    '\*\(-[-a-zA-Z0-9]*\).*/\1/p" made.zsh | sed 's/-$//' | sort -u >got
    assert_same wanted got
    grep -q "^    '\*--device=\[.*\]:NAME:(auto cpu gpu)' " made.zsh
    require zsh
    zsh -fc '_arguments() { print -l -- "$@" }; . ./made.zsh' >got
    grep -qF -- '*--stats=-[' got
}

@test "fish has the options of --help, and their words" {
    make_completion fish
    options >wanted
    grep -Eo -- ' -[sl] [-a-zA-Z0-9]+' made.fish | sed 's/^ -s /-/; s/^ -l /--/' | sort -u >got
    assert_same wanted got
    require fish
    export HOME=$PWD
    fish -c 'source made.fish; complete -C "gsort --device="' | cut -f 1 >got
    [ "$(xargs <got)" = "--device=auto --device=cpu --device=gpu" ]
}

@test "another name, which is that of ranks" {
    for shell in bash zsh fish; do
        "$ROOT/cli/completions.sh" "$shell" "$GSORT" keysort-mpi >"made.$shell"
        grep -q keysort-mpi "made.$shell"
        run -1 grep -w gsort "made.$shell"
    done
    bash -n made.bash
}

@test "a program that says nothing is an error" {
    run -1 "$ROOT/cli/completions.sh" bash false gsort
}
