# --help, the man page and README.md agree on the options, and README.md is short.
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

# Print the entries of the man page's OPTIONS, and its groups.
option_entries()
{
    sed 's/\\-/-/g; s/\\f[BIRP]//g' "$ROOT/man/gsort.1" | sed -n '/^\.SH OPTIONS/,/^\.SH EXIT/p' |
        awk '/^\.SS/ { print } /^\.TP/ { take = 1; next }
            take { print; take = /^\.(TQ|PD)/ }'
}

# by_group <LINES: print `GROUP: OPTION` for each long option in lines of options; a line that
# begins with a capital is a group.
by_group()
{
    awk '/^[A-Z]/ { group = $0; next }
        { while (match($0, /--[a-z][a-z-]+/)) {
              print group ": " substr($0, RSTART, RLENGTH)
              $0 = substr($0, RSTART + RLENGTH) } }' | sort
}

@test "the man page has an entry for every option of --help, and no others" {
    [ -e "$ROOT/man/gsort.1" ] || skip "no man page in this tree"
    option_entries | long_options >page
    diff help page
}

@test "the man page has the groups of --help, with the same options" {
    [ -e "$ROOT/man/gsort.1" ] || skip "no man page in this tree"
    option_entries | sed 's/^\.SS //' | by_group >page
    gsort --help | sed -n '/^ [A-Z].*:$/ { s/^ //; s/[,:].*//; p }
        /^  *-/ { s/^  *//; s/  .*//; p }' | by_group >list
    [ "$(cut -d: -f1 list | uniq | wc -l)" -ge 5 ]
    diff list page
}

@test "README.md is read in the first minutes: it has at most 140 lines" {
    [ -e "$ROOT/README.md" ] || skip "no README.md in this tree"
    [ "$(wc -l <"$ROOT/README.md")" -le 140 ]
}

@test "README.md names every option of -h, and none that --help lacks" {
    [ -e "$ROOT/README.md" ] || skip "no README.md in this tree"
    gsort -h | grep -Eo -- '^ +--?[a-zA-Z]+' | tr -d ' ' >common
    [ "$(wc -l <common)" -ge 12 ]
    while read -r option; do
        grep -Eq -- "(^|[ \`])$option([] =:,\`]|\$)" "$ROOT/README.md" || {
            echo "not in README.md: $option" >&2
            return 1
        }
    done <common
    # Those behind the program's name, and those that begin a piece of code: mpirun has its own.
    grep -Eo -- '(gsort(-mpi)?( +[^|;`]*)?|`--[^`]*)' "$ROOT/README.md" | long_options >used
    comm -13 help used >unknown
    [ ! -s unknown ] || {
        echo "not options: $(xargs <unknown)" >&2
        return 1
    }
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

@test "the man page has all sections" {
    [ -e "$ROOT/man/gsort.1" ] || skip "no man page in this tree"
    for section in NAME SYNOPSIS DESCRIPTION "FILE FORMATS" EXAMPLES OPTIONS "EXIT STATUS" \
        ENVIRONMENT FILES BUGS "SEE ALSO"; do
        grep -Eq "^\.SH \"?$section\"?$" "$ROOT/man/gsort.1" || {
            echo "no section $section" >&2
            return 1
        }
    done
}

@test "every man page renders without a warning, and names the others that are here" {
    local page other name tables
    [ -e "$ROOT/man/gsort.1" ] || skip "no man page in this tree"
    require groff
    [ -d /usr/share/groff ] || skip "groff without its macros"
    for page in "$ROOT"/man/*.[1-8]; do
        # Pages with tables say so to man(1) in their first line.
        head -1 "$page" | grep -q "^'.. t\$" && tables=(-t) || tables=()
        groff "${tables[@]}" -man -Tascii -ww -z "$page" 2>warnings
        [ ! -s warnings ] || {
            cat warnings >&2
            return 1
        }
        for other in "$ROOT"/man/*.[1-8]; do
            name=$(basename "$other")
            # Pages of the library's calls are found by gsort(3), and name what is about a program.
            case $page:$name in
            *.[15]:gsort_*.3 | *.3:gsort-*.[15]) continue ;;
            esac
            [ "$page" = "$other" ] || sed -n 's/\\-/-/g; /^\.SH SEE ALSO/,$p' "$page" |
                grep -qF ".BR ${name%.*} (${name##*.})" || {
                echo "not under SEE ALSO of $page: $name" >&2
                return 1
            }
        done
    done
}
