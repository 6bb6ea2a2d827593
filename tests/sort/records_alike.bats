# Records whose keys are alike in many bytes, all of them or nearly all, are sorted as any others.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "records of any size"
    enter_directory
}

# sorts OPTION...: ./in, records of 24 bytes, in every direction.
sorts()
{
    local direction
    for direction in "" -r -u "-r -u" "-r -s"; do
        # shellcheck disable=SC2086  # options are words
        reference -R 24 "$@" $direction in >wanted
        # shellcheck disable=SC2086  # options are words
        gsort -R 24 "$@" $direction --verify in -o got
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
