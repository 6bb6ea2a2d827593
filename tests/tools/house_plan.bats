# sort/README.md, the plan of the house, names every room, and only what is there.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "no gsort runs here"
    cd "$ROOT/sort" || return
    [ -e README.md ] || skip "no sort/README.md in this tree"
}

@test "every room has a line in the table" {
    local room
    for room in */; do
        grep -q "^| \`${room%/}\` |" README.md || {
            echo "no line for ${room%/}" >&2
            return 1
        }
    done
}

@test "every file that is named exists" {
    local name
    while read -r name; do
        [ -e "$name" ] || [ -e "../$name" ] || compgen -G "*/$name" >/dev/null || {
            echo "not there: $name" >&2
            return 1
        }
    done < <(grep -Po '(?<![*\w/])[a-z][a-z0-9_/]*\.(c|h|awk)\b' README.md | sort -u)
}

@test "every function that is named is called so" {
    local name
    while read -r name; do
        grep -rqw -- "$name" --include='*.[ch]' . ../cli ../common || [[ $name = *_ ]] || {
            echo "not there: $name" >&2
            return 1
        }
    done < <(grep -Eo '\bgs_[a-z_0-9]+' README.md | sort -u)
}
