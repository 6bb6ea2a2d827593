# --help, the man page and README.md agree on the options.
# SPDX-License-Identifier: MIT

load ../helper

# Print the long options in the text on standard input, sorted.
long_options()
{
    grep -Eo -- '(^|[^-a-z])--[a-z][a-z-]+' | grep -Eo -- '--[a-z-]+' | sort -u
}

setup()
{
    enter_directory
    gsort --help | long_options >help
    [ "$(wc -l <help)" -ge 15 ]
}

@test "the man page has an entry for every option of --help, and no others" {
    [ -e "$ROOT/man/gsort.1" ] || skip "no man page in this tree"
    sed 's/\\-/-/g; s/\\f[BIRP]//g' "$ROOT/man/gsort.1" | sed -n '/^\.SH OPTIONS/,/^\.SH STATS/p' |
        awk '/^\.TP/ { take = 1; next } take { print; take = /^\.(TQ|PD)/ }' | long_options >page
    diff help page
}

@test "README.md names every option of --help, and no others of gsort" {
    [ -e "$ROOT/README.md" ] || skip "no README.md in this tree"
    long_options <"$ROOT/README.md" >readme
    comm -23 help readme >missing
    [ ! -s missing ] || {
        echo "not in README.md: $(xargs <missing)" >&2
        return 1
    }
    grep -Eo -- 'gsort( +[^|;`]*)?' "$ROOT/README.md" | long_options >used
    comm -13 help used >unknown
    [ ! -s unknown ] || {
        echo "not options: $(xargs <unknown)" >&2
        return 1
    }
}

@test "the shell completes every option of --help, and no others" {
    grep -v '^ *#' "$ROOT/cli/completion.bash" | long_options >completed
    diff help completed
}

@test "the man page has every short option of --help" {
    [ -e "$ROOT/man/gsort.1" ] || skip "no man page in this tree"
    sed 's/\\-/-/g; s/\\f[BIRP]//g' "$ROOT/man/gsort.1" >page
    for letter in $(gsort --help | grep -Eo -- '^ +-[a-zA-Z?]' | tr -d ' ' | sort -u); do
        [ "$letter" = '-?' ] || grep -Eq -- "(^|[ ,])$letter([ ,=]|$)" page || {
            echo "not in the man page: $letter" >&2
            return 1
        }
    done
}

@test "the man page has all sections and renders without a warning" {
    [ -e "$ROOT/man/gsort.1" ] || skip "no man page in this tree"
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS STATS "EXIT STATUS" ENVIRONMENT FILES \
        EXAMPLES BUGS; do
        grep -Eq "^\.SH \"?$section\"?$" "$ROOT/man/gsort.1" || {
            echo "no section $section" >&2
            return 1
        }
    done
    require groff
    [ -d /usr/share/groff ] || skip "groff without its macros"
    groff -man -Tascii -ww -z "$ROOT/man/gsort.1" 2>warnings
    [ ! -s warnings ] || {
        cat warnings >&2
        return 1
    }
}
