# npy.bash -- loaded by the tests of .npy files: they are made without numpy
# SPDX-License-Identifier: MIT

load ../helper

# npy DESCR COUNT: a .npy file of version 1.0 from the records on standard input.
npy()
{
    local header="{'descr': $1, 'fortran_order': False, 'shape': ($2,), }"
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$header"
    cat
}

# npy_text VERSION TEXT: the same with a header of just these bytes.
npy_text()
{
    local length=${#2} octal
    printf -v octal '\\%03o\\%03o' $((length & 255)) $((length >> 8 & 255))
    [ "$1" -eq 1 ] ||
        printf -v octal '%s\\%03o\\%03o' "$octal" $((length >> 16 & 255)) $((length >> 24))
    # shellcheck disable=SC2059  # the length is in the format
    printf "\x93NUMPY\\x0$1\\x00$octal"
    printf '%s' "$2"
    cat
}

# dictionary DESCR SHAPE: the text of a header.
dictionary()
{
    printf "{'descr': %s, 'fortran_order': False, 'shape': %s, }" "$1" "$2"
}
export -f npy npy_text dictionary

# need_numpy: skip the test where no python3 has it; PATH finds the one that has.
need_numpy()
{
    local directory
    for directory in "$(dirname "$(command -v python3)")" /usr/bin; do
        if "$directory/python3" -c 'import numpy' 2>/dev/null; then
            PATH=$directory:$PATH
            return
        fi
    done
    skip "no numpy"
}
