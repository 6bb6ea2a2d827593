#!/bin/bash
# completions.sh -- completion for a shell, made from what a built program says of its options
# SPDX-License-Identifier: MIT
#
# usage: cli/completions.sh bash|zsh|fish PROGRAM NAME
#
# Prints the completion of the command NAME. The options are those of PROGRAM --help; the words that
# an option takes are in the message that refuses another one, so no list here can be out of date.
set -eu -o pipefail
export LC_ALL=C
shell=$1 program=$2 name=$3

# options: print a line of each option: its names; its argument, as =FILE or [=WHEN]; what it does,
# in 64 characters. --help has options from column 3 or 7 on, and more of their text from column 13.
options()
{
    "$program" --help | awk '
        function flush() {
            if (names != "") {
                sub(/[.;] .*/, "", text)
                if (length(text) > 64) {
                    text = substr(text, 1, 64)
                    sub(/[,:]? [^ ]*$/, "", text)
                }
                print names "|" argument "|" text
            }
            names = argument = text = ""
        }
        /^  ? ? ? ? ?-/ {
            flush()
            line = $0
            if (match(line, /[^ ]  +[^ ]/)) {
                text = substr(line, RSTART + RLENGTH - 1)
                line = substr(line, 1, RSTART)
            }
            count = split(line, words, /,? +/)
            for (i = 1; i <= count; i++) {
                if (match(words[i], /\[?=.*/)) {
                    argument = substr(words[i], RSTART)
                    words[i] = substr(words[i], 1, RSTART - 1)
                }
                names = names (names == "" ? "" : " ") words[i]
            }
            sub(/^ /, "", names)
            next
        }
        /^            / { sub(/^ +/, ""); text = text (text == "" ? "" : " ") $0; next }
        { flush() }
        END { flush() }'
}

# words OPTION: print the words that it takes, if it is one that takes words.
words()
{
    local said
    said=$("$program" "$1=?" --plan /dev/null 2>&1 >/dev/null) || true
    [[ $said == *': it is '* ]] || return 0
    said=${said##*: it is }
    said=${said%%;*}
    [[ $said != 'one of '* ]] || said=${said%%,*}
    sed 's/^one of //; s/,\| or / /g' <<<"$said" | xargs
}

# table: the lines of options, each with the words behind.
table()
{
    local names argument text
    while IFS='|' read -r names argument text; do
        case $argument in
        '' | *=FILE | *=DIR | *=N | *=N] | *=SIZE | *=KEY)
            printf '%s\n' "$names|$argument|$text|"
            ;;
        *) printf '%s\n' "$names|$argument|$text|$(words "${names##* }")" ;;
        esac
    done
}

bash_completion()
{
    local names argument text words name_of directories='' optional='' all=() cases=()
    local function="_${name//-/_}"
    while IFS='|' read -r names argument text words; do
        for name_of in $names; do
            [[ $name_of != --* || $argument != =* ]] || name_of+='='
            all+=("$name_of")
        done
        [[ $argument != \[* ]] || optional+=" | ${names// / | }"
        case $argument in
        '' | =FILE) ;;
        =DIR) directories+=" | ${names// / | }" ;;
        *) cases+=("    ${names// / | }) words='$words' ;;") ;;
        esac
    done
    cat <<END
# bash completion for $name, made by cli/completions.sh
$function()
{
    local current=\${COMP_WORDS[COMP_CWORD]} option=\${COMP_WORDS[COMP_CWORD - 1]} words
    # bash splits --option=value into three words.
    if [[ \$current == = ]]; then
        current=
    elif [[ \$option == = ]]; then
        option=\${COMP_WORDS[COMP_CWORD - 2]}
    else
        case \$option in # these take an argument only after a =
        ${optional# | }) option= ;;
        esac
    fi
    case \$option in
    ${directories# | })
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -d -- "\$current")
        return
        ;;
$(printf '%s\n' "${cases[@]}")
    *)
        if [[ \$current != -* ]]; then
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "\$current")
            return
        fi
        words='$(fold -s -w 90 <<<"${all[*]}" | sed 's/ $//; 2,$s/^/            /')' ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "\$words" -- "\$current")
    [[ \${COMPREPLY[0]-} != *= ]] || compopt -o nospace
}
complete -F $function $name
END
}

zsh_completion()
{
    local names argument text words name_of action spec
    printf '#compdef %s\n# made by cli/completions.sh\n_arguments -s -S \\\n' "$name"
    while IFS='|' read -r names argument text words; do
        text=${text//[\[\]\':]/}
        action=${argument//[\[\]=]/}
        case $argument in
        *=FILE) action=":$action:_files" ;;
        *=DIR) action=":$action:_files -/" ;;
        ?*) action=":$action:${words:+($words)}" ;;
        esac
        for name_of in $names; do
            spec=$name_of
            case $name_of,$argument in
            *, | -?,\[*) ;;
            --*,=*) spec+='=' ;;
            --*) spec+='=-' ;;
            *) spec+='+' ;;
            esac
            case $name_of,$argument in
            -?,\[*) printf "    '*%s[%s]' \\\\\n" "$spec" "$text" ;;
            *,\[*) printf "    '*%s[%s]:%s' \\\\\n" "$spec" "$text" "$action" ;;
            *) printf "    '*%s[%s]%s' \\\\\n" "$spec" "$text" "$action" ;;
            esac
        done
    done
    printf "    '*:file:_files'\n"
}

fish_completion()
{
    local names argument text words name_of line
    printf '# fish completion for %s, made by cli/completions.sh\n' "$name"
    while IFS='|' read -r names argument text words; do
        line="complete -c $name"
        for name_of in $names; do
            [[ $name_of == --* ]] && line+=" -l ${name_of#--}" || line+=" -s ${name_of#-}"
        done
        case $argument in
        '') ;;
        =FILE) line+=" -r -F" ;;
        =DIR) line+=" -x -a '(__fish_complete_directories)'" ;;
        =*) line+=" -x -a '$words'" ;;
        *) line+=" -f -a '$words'" ;;
        esac
        printf '%s\n' "$line -d '${text//\'/}'"
    done
}

case $shell in
bash | zsh | fish) options | table | "${shell}_completion" ;;
*)
    echo "usage: $0 bash|zsh|fish PROGRAM NAME" >&2
    exit 2
    ;;
esac
