# torture_points.bash -- sorts by keys that are woven of several, and by dates
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154  # sourced by torture.sh, whose variables these are

# Bytes that a record has at least, and its keys.
point_keys=("8 -k zorder(0:u32,4:i32)" "8 -k zorder(0:u16,2:i16be,6:u16)r"
    "9 -k 8:u8r -k zorder(4:i32,0:f32)" "12 -k zorder(0:i32,4:i32,8:i32)"
    "12 -k zorder(0:u8,1:u8,2:i8r,3:u8) -k 4:M8" "16 -k zorder(0:u32,4:u32r,8:u32be,12:u32)"
    "16 -k zorder(0:u64,8:f64)r" "24 -k zorder(0:i64,8:u64,16:f64)"
    "32 -k zorder(24:u64,0:u64be,16:i64,8:u64)" "8 -k 0:M8[ns]" "16 -k 8:m8ber -k 0:u32"
    "20 -k 3:M8[D]r")

# Draw such keys, and the size of their records.
draw_points()
{
    local words more
    one_of "${point_keys[@]}"
    # shellcheck disable=SC2206  # words are meant
    words=($REPLY)
    one_of 0 0 0 1 5 60
    more=$REPLY
    bytes=$((words[0] + more))
    reference_options=("${words[@]:1}")
}
