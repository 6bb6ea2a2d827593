# Records whose keys are alike in many bytes, all of them or nearly all, are sorted as any others.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "records of any size"
    enter_directory
}

# sorts OPTION...: ./in, records of $bytes bytes (24), in every direction.
sorts()
{
    local direction bytes=${bytes:-24}
    for direction in "" -r -u "-r -u" "-r -s"; do
        # shellcheck disable=SC2086  # options are words
        reference -R "$bytes" "$@" $direction in >wanted
        # shellcheck disable=SC2086  # options are words
        gsort -R "$bytes" "$@" $direction --verify in -o got
        assert_same wanted got
    done
}

@test "numbers with the same upper bytes" {
    local keys
    keygen --record=24 --type=u16 narrow 60000 >in
    for keys in "-k 8:u64 -k 16:u64 -k 0:u64" "-k 12:i64r -k 0:u32 -k 4:u64" \
        "-k 20:b4 -k 0:u64be"; do
        # shellcheck disable=SC2086  # options are words
        sorts $keys
    done
}

@test "a few that have other upper bytes, where a sample sees none" {
    keygen --record=24 --type=u16 narrow 60000 >in
    keygen --record=24 --type=u64 uniform 3 >others
    dd if=others of=in bs=24 seek=4000 conv=notrunc status=none
    keygen --record=24 --type=u128 --seed=2 uniform 3 >others
    dd if=others of=in bs=24 seek=51000 conv=notrunc status=none
    sorts -k 8:u64 -k 16:u64 -k 0:u64
    sorts -k 8:i32r -k 0:f64 -k 16:u32
}

@test "-u: equal keys, and other bytes that differ in one record of many" {
    head -c $((24 * 60000)) /dev/zero >in
    printf 'x' | dd of=in bs=1 seek=$((24 * 777 + 9)) conv=notrunc status=none
    printf 'x' | dd of=in bs=1 seek=$((24 * 50777 + 23)) conv=notrunc status=none
    sorts -k 0:u32
}

@test "-u: other keys, two below and two above the one that a sample sees" {
    local at=4000 key
    head -c $((24 * 60000)) /dev/zero | tr '\0' m >in
    for key in aaaa zzzz mmab mmmz; do
        printf %s "$key" | dd of=in bs=24 seek=$at conv=notrunc status=none
        at=$((at + 7001))
    done
    sorts -k 0:b4
    sorts -k 0:u32
    sorts -k 0:b12 -k 20:b4
}

@test "bytes that vary at the end of the window in which bytes alike are left out, and behind it" {
    local at zeros='' bytes=64
    keygen low-bits $((16 * 20000)) >in
    for ((at = 2; at < 60; at += 4)); do zeros+=" -k $at:b2"; done
    # shellcheck disable=SC2086  # keys are words
    sorts -k 0:b1 $zeros -k 4:b1 -k 8:b2r
}
