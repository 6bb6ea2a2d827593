# keygen writes the keys described in data/README.md, always the same; an error is one line.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    without_gpu "no gsort runs here"
    enter_directory
}

@test "the bytes of each distribution do not change" {
    # cksum of 70001 keys, seed 7; without distributions that depend on the C library's exp2 and log
    while read -r name sum; do
        keygen "$name" 70001 --seed=7 >keys
        [ "$(cksum <keys)" = "$sum 280004" ] || {
            echo "$name: $(cksum <keys)" >&2
            return 1
        }
    done <<'END'
uniform 3988764481
gaussian 177685219
low-entropy 4113883512
sorted 3761495296
reversed 2951658782
nearly-sorted 1906192288
organ-pipe 3695379767
sawtooth 2024053241
equal 1212088738
few 1615060272
narrow 374360378
high-bits 3828966169
low-bits 1136858191
staggered 3415751616
buckets 3023637468
all-but-one 1943765063
two-clusters 3529110254
clusters 3437933922
periodic 2002198544
max-keys 1558757926
zero-one 562960392
sorted-but-last 2744591049
streams 626575002
bit-reversed 699905197
k-mers 2362061653
END
}

@test "distributions that use exp2 and log have the right shape" {
    # Of 70001 keys, half of log-uniform are below 2^16, 1 - 1/e of exponential are below the mean,
    # 2^27, and one in 20 of zipf has the first value.
    keygen log-uniform 70001 | decimal |
        awk '$1 < 65536 { n++ } END { exit !(34000 < n && n < 36000) }'
    keygen exponential 70001 | decimal |
        awk '$1 < 134217728 { n++ } END { exit !(43700 < n && n < 44800) }'
    keygen zipf 70001 | decimal |
        awk '$1 == 2654435761 { n++ } END { exit !(3200 < n && n < 3800) }'
}

@test "records alike: columns of one, few or many values, and a few outliers" {
    local seed bytes
    for seed in 1 2 3 4 5 6; do
        bytes=$((seed * 5))
        keygen alike 3000 --record="$bytes" --seed="$seed" >records
        [ "$(wc -c <records)" -eq $((3000 * bytes)) ]
        keygen alike 3000 --record="$bytes" --seed="$seed" --from=1000 --to=2000 |
            cmp - <(tail -c +$((1000 * bytes + 1)) records | head -c $((1000 * bytes)))
        od -An -v -tu1 "-w$bytes" records
    done >all
    # How many values each column of each file has, but for those of at most 100 records.
    awk '{ if (NF != width) { count(); width = NF; delete seen; delete values }
        for (i = 1; i <= NF; i++) if (++seen[i, $i] == 101) values[i]++ }
        function count(i) { for (i = 1; i <= width; i++) n[values[i] + 0]++ }
        END { count(); exit !(n[1] > 40 && n[0] > 5 && n[2] + n[3] + n[16] > 5) }' all
}

@test "data/README.md has a row for each distribution, and no others" {
    keygen --list | awk '{ print $1 }' >listed
    awk -F ' *[|] *' '/^\| name \|/ { take = 1; next } !/^\|/ { take = 0 }
        take && $2 !~ /^-/ { print $2 }' "$ROOT/data/README.md" >described
    diff listed described
}

@test "the number of keys may have a suffix" {
    [ "$(keygen equal 3k | wc -c)" -eq 12288 ]
    [ "$(keygen equal 1M | wc -c)" -eq 4194304 ]
    [ "$(keygen equal 0 | wc -c)" -eq 0 ]
}

@test "an error of keygen is status 2 and one line" {
    while read -r -a arguments; do
        run -2 --separate-stderr keygen "${arguments[@]}"
        [ -z "$output" ]
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ $stderr == *keygen:\ * ]]
    done <<'END'
--nonsense
uniform
none 3
uniform 3x
uniform -- -3
uniform 2000G
uniform 18446744073709551616
uniform 3 4
uniform 3 --seed
alike 3 --type=u32
uniform 3 --seed=x
END
    run -2 --separate-stderr bash -c 'keygen uniform 3 >/dev/full'
    [ "${#stderr_lines[@]}" -eq 1 ]
    run -2 --separate-stderr bash -c 'keygen --list >/dev/full'
    [ "${#stderr_lines[@]}" -eq 1 ]
}
