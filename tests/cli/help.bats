# --help, --usage and --version answer on standard output and exit 0.
# SPDX-License-Identifier: MIT

load ../helper

@test "--help names every option, on standard output" {
    run -0 --separate-stderr gsort --help
    [ -z "$stderr" ]
    for word in --output=FILE --reverse --unique --check --engine=NAME --device=NAME --samples=N \
        --bins=N --lists= --buffer-size=SIZE --temporary-directory=DIR --parallel=N --stats \
        --verify --progress --help --version; do
        [[ $output == *"$word"* ]] || {
            echo "not in --help: $word" >&2
            return 1
        }
    done
    for letter in -o -r -u -c -C -e -S -T; do
        grep -Eq "^ +.*${letter}[, =]" <<<"$output" || {
            echo "not in --help: $letter" >&2
            return 1
        }
    done
}

@test "--help has one layout, whatever argp would read from the environment" {
    gsort --help >wanted
    ARGP_HELP_FMT=rmargin=20,opt-doc-col=200 gsort --help | head -c 20000 >got
    assert_same wanted got
}

@test "--help says what the exit status means" {
    run -0 --separate-stderr gsort --help
    [[ ${output,,} == *"exit status"* ]]
}

@test "--usage is short" {
    run -0 --separate-stderr gsort --usage
    [ -z "$stderr" ]
    [[ $output == Usage:* ]]
}

@test "--version prints name, version and build options" {
    run -0 --separate-stderr gsort --version
    [ -z "$stderr" ]
    [[ ${lines[0]} =~ ^gsort.*[0-9]+\.[0-9]+ ]]
    [[ $output == *CUDA* ]]
}

@test "--help does not open the operands" {
    run -0 --separate-stderr gsort --help no-such-file
    [ -z "$stderr" ]
}

@test "--help and --version to a full device are errors" {
    [ -w /dev/full ] || skip "no /dev/full here"
    run -2 --separate-stderr bash -c 'gsort --help >/dev/full'
    assert_trouble "No space left"
    run -2 --separate-stderr bash -c 'gsort --version >/dev/full'
    assert_trouble "No space left"
}
