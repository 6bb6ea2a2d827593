# torture_npy.bash -- sourced by torture.sh: runs whose inputs are .npy files of random types
# SPDX-License-Identifier: MIT
#
# draw_npy chooses a type and the notation of the headers; wrap_npy puts headers in front of the
# inputs, and of what is wanted, when the reference has sorted the records.
# shellcheck shell=bash

# Type, bytes of a record, options of gsort, options of the reference, columns of rows. Keys of the
# types, and fields that are none.
npy_types=("'<u4';4;;-t u32" "'>u4';4;;-t u32be" "'|u1';1;;-t u8" "'<i2';2;;-t i16"
    "'>i8';8;;-t i64be" "'<f2';2;;-t f16" "'<f4';4;;-t f32" "'>f8';8;;-t f64be" "'|S7';7;;-t b7"
    "'|V24';24;;-t b24" "'?';1;;-t u8" "[('a', '<u4'), ('t', '<M8[us]')];12;-k a;-R 12 -k 0:u32"
    "[('a', '<i2'), ('', '|V2'), ('b', '>f4')];8;-k b:r -k a;-R 8 -k 4:f32ber -k 0:i16"
    "[('a', '<u2'), ('b', '<f8'), ('c', '|S3', (2,))];16;-k b;-R 16 -k 2:f64"
    "[('x', [('y', '<c16')]), ('k', '<u8')];24;-k k;-R 24 -k 16:u64"
    "[('k', '<f8'), ('s', '<U8'), ('v', '<i4', (2, 3))];64;-k k:r;-R 64 -k 0:f64r"
    "[(('a title', '\\x6b'), '>u2'), ('rest', '|V98')];100;-k k;-R 100 -k 0:u16be"
    "'<M8[ns]';8;;-t M8" "'>m8[25s]';8;;-t m8be"
    "[('t', '<M8[D]'), ('a', '<u4')];12;-k t:r;-R 12 -k 0:M8r"
    "[('a', '<i4'), ('b', '>i4'), ('c', '|V9')];17;-k zorder(b,a)r;-R 17 -k zorder(4:i32be,0:i32)r"
    "'<i4';12;-k 2,0:r;-R 12 -k 8:i32 -k 0:i32r;3" "'<M8[s]';24;-k 1:r;-R 24 -k 8:M8r;3"
    "'<f4';8;-k zorder(1,0);-R 8 -k zorder(4:f32,0:f32);2" "'|u1';20;;-R 20;20"
    "'<u2';6;;-R 6 -k 0:u16 -k 2:u16 -k 4:u16;3"
    "'>f8';8;;-t f64be;1")

draw_npy()
{
    local type words file
    one_of "${npy_types[@]}"
    IFS=';' read -r npy_type bytes words type npy_columns <<<"$REPLY"
    npy_bytes=$bytes # bytes is the caller's
    # shellcheck disable=SC2206  # options are words
    options+=($words) reference_options+=($type)
    [ "$bytes" -le 4 ] || ! chance 20 || { options+=(-s) && reference_options+=(-s); }
    one_of 1 1 2 3
    npy_version=$REPLY
    one_of padded padded tight newline lines
    npy_style=$REPLY
    for file in "${files[@]}"; do
        truncate -s $(($(stat -c %s "$file") / bytes * bytes)) "$file"
    done
}

# npy_header COUNT [LENGTH]: a header in the notation of this run, of LENGTH bytes.
npy_header()
{
    local text prefix=$((npy_version == 1 ? 10 : 12)) octal
    local shape="($1,${npy_columns:+ $npy_columns})" fortran=True
    [ -z "$npy_columns" ] || fortran=False
    text="{'descr': $npy_type, 'fortran_order': False, 'shape': $shape, }"
    [ "$npy_style" != lines ] ||
        text=$'{\n"shape":'$shape$',\r\n\'descr\': '"u$npy_type,# "$'\n'"'fortran_order' :$fortran}"
    [[ $npy_style != lines || $npy_type != "["* ]] || text=${text/u\[/[}
    local length=$((${2:-0} - prefix))
    case $npy_style:${2:-} in
    padded:) length=$(((${#text} + prefix + 85) / 64 * 64 - prefix)) ;;
    tight: | lines:) length=${#text} ;;
    newline:) length=$((${#text} + 1)) ;;
    esac
    printf -v octal '\\%03o\\%03o' $((length & 255)) $((length >> 8))
    [ "$npy_version" -eq 1 ] || octal+='\000\000'
    # shellcheck disable=SC2059  # the length is in the format
    printf "\x93NUMPY\\x0$npy_version\\x00$octal"
    if [ "$length" -eq "${#text}" ]; then
        printf '%s' "$text"
    else
        printf "%-$((length - 1))s\n" "$text"
    fi
}

# What cannot be: several arrays in one pipe, and a count that -u changes where none can be written.
fit_npy()
{
    [ "$input" != pipe ] || files=(in0)
    [[ $output != pipe || " ${options[*]} " != *" -u "* ]] || output=new
}

# Make .npy files of the inputs and of what is wanted. The header of that is as long as the first
# input's, unless several have to find room there: for 19 digits, and it is aligned.
wrap_npy()
{
    local file first count length=0
    for file in "${files[@]}"; do
        npy_header $(($(stat -c %s "$file") / npy_bytes)) >../part
        [ "$length" -ne 0 ] || length=$(stat -c %s ../part)
        cat "$file" >>../part && mv ../part "$file"
    done
    first=$((($(stat -c %s "${files[0]}") - length) / npy_bytes))
    count=$(($(stat -c %s ../wanted) / npy_bytes))
    if [ "${#files[@]}" -gt 1 ] && [ "$npy_style" != padded ]; then
        [ "$npy_style" != newline ] || length=$((length - 1))
        length=$(((length - ${#first} + 19 + 3 + 63) / 64 * 64))
    fi
    npy_header "$count" "$length" >../part
    cat ../wanted >>../part && mv ../part ../wanted
}
