# torture_alike.bash -- sorts of records that are nearly all alike, by keys of all types
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154  # sourced by torture.sh, whose variables these are

alike_types=(u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f16 bf16 f32 f64)

# Draw the records' size, and keys that do not overlap. alike: the distribution.
draw_alike()
{
    local i type width at key taken
    alike=alike
    one_of 1 2 3 4 5 6 7 8 10 12 16 17 20 24 32 40 48 64 $((1 + RANDOM % 100)) 100
    bytes=$REPLY
    printf -v taken '%*s' "$bytes" ''
    reference_options=()
    for ((i = RANDOM % 6; i >= 0; i--)); do
        one_of "${alike_types[@]}"
        type=$REPLY width=$((${REPLY//[a-z]/} / 8))
        if chance 40 || [ "$width" -gt "$bytes" ]; then
            width=$((1 + RANDOM % bytes)) type=b$width
        elif chance 30; then
            type+=be
        fi
        at=$((RANDOM % (bytes - width + 1)))
        ! chance 40 || at=$((at / 4 * 4))
        [[ ${taken:at:width} != *x* ]] || continue
        printf -v key '%*s' "$width" ''
        taken=${taken:0:at}${key// /x}${taken:at+width}
        chance 25 && type+=r
        reference_options+=(-k "$at:$type")
    done
}

# Draw one short key of few values, in more bytes than -S has room for: a bin of a single value is
# what no level of an external sort splits. keygen_options: its type, too.
draw_single()
{
    local type
    one_of u8 u16 i16 f16 bf16 u16be i16be f16be u32 f32be
    type=$REPLY
    one_of 4 5 8 12 20 32
    bytes=$REPLY least=$((4000000 / bytes))
    one_of equal equal equal all-but-one few
    alike=$REPLY
    keygen_options=("--type=$type")
    reference_options=(-k "0:$type")
    ! chance 30 || reference_options[1]+=r
    ! chance 80 || reference_options+=(-s)
}
