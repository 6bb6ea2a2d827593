# --stats says what energy the processors took where the machine tells, else nothing.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 100000 >in
}

# counting COMMAND...: run it where two processors are said to count; parts of one, and the whole
# machine, are there, too.
counting()
{
    require unshare
    unshare -m mount -t tmpfs tmpfs /sys/class 2>/dev/null || skip "mounting is not permitted here"
    # shellcheck disable=SC2016  # for the shell within
    unshare -m bash -c '
        mount -t tmpfs tmpfs /sys/class
        domain()
        {
            mkdir -p "/sys/class/powercap/$1"
            echo "$2" >"/sys/class/powercap/$1/name"
            echo "$3" >"/sys/class/powercap/$1/energy_uj"
            echo 262143328850 >"/sys/class/powercap/$1/max_energy_range_uj"
        }
        domain intel-rapl:0 package-0 1000000
        domain intel-rapl:1 package-1 262143000000
        domain intel-rapl:0:0 core 0
        domain intel-rapl:2 psys 0
        export -f domain
        "$@"' bash "$@"
}

# What a pipe holds is not enough for gsort, which reads the counters before it reads the pipe.
later()
{
    keygen uniform 100000
    domain intel-rapl:0 package-0 3500000
    domain intel-rapl:1 package-1 171150
    domain intel-rapl:0:0 core 77000000
    domain intel-rapl:2 psys 88000000
    keygen uniform 10
}
export -f later

@test "the energy of all processors, also of a counter that began anew" {
    # shellcheck disable=SC2016
    counting bash -c 'later | "$GSORT" --stats-file=file --stats -o out' 2>text
    grep -qx "energy           3\.0 J, of all processors and all that ran" text
    grep -q '"energy_joules": 3\.000000,' file
}

@test "without counters there is no row, and null" {
    # shellcheck disable=SC2016
    counting bash -c 'rm -r /sys/class/powercap; "$GSORT" --stats-file=file --stats in -o out' \
        2>text
    grep -q '^total' text
    run ! grep energy text
    grep -q '"energy_joules": null,' file
}
