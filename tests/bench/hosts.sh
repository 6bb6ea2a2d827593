#!/bin/bash
# hosts.sh -- several ranks as on several hosts: network namespaces with a slow wire between them
# SPDX-License-Identifier: MIT
#
# usage: tests/bench/hosts.sh GSORT-MPI GSORT KEYGEN [-a OPTIONS] [-b RATE] [-n KEYS] [-d DIR]
#        [-m MPIRUN] [HOSTS...]
#
# As root, with iproute2 and Open MPI. For each number of HOSTS (default 2 3 4 5) makes as many
# network namespaces, joined by a bridge, each with a wire of RATE (default 1gbit) both ways, and
# sorts KEYS (default 64M) uniform keys in DIR (default /dev/shm) by a rank in each; -a: options for
# gsort, "-R 100 -k 0:b10" say, if KEYS numbers of 4 bytes are whole records. Prints Markdown: the
# rate of the exchange, bytes sent by the rank that sends most over its longest time, and that as a
# share of the wire's. The output is compared with one process's.
set -eu -o pipefail
export LC_ALL=C
# shellcheck source=tests/bench/timing.sh
. "$(dirname "$0")/timing.sh"

usage="usage: hosts.sh GSORT-MPI GSORT KEYGEN [-a OPTIONS] [-b RATE] [-n KEYS] [-d DIR] [-m MPIRUN]"
usage+=" [HOSTS...]"
gsort_mpi=$(realpath "${1:?$usage}")
gsort=$(realpath "${2:?$usage}")
keygen=$(realpath "${3:?$usage}")
shift 3
read_options "$usage" a:b:n:d:m: "$@"
shift $((OPTIND - 1))
[ "$#" -gt 0 ] || set -- 2 3 4 5
rate=${option[b]-1gbit}
mpirun=${option[m]-mpirun.openmpi}
read -ra more <<<"${option[a]-}"
dir=$(mktemp -d "${option[d]-/dev/shm}/gsort-bench.XXXXXX")
prefix=gs$$
hosts=()

remove_hosts()
{
    local host
    for host in "${hosts[@]}"; do
        ip netns del "$host"
    done
    hosts=()
    ip link del "$prefix" 2>/dev/null || true
}
trap 'remove_hosts; rm -rf "$dir"' EXIT
cd "$dir"

# make_hosts N: namespaces with addresses 10.99.0.1 and so on.
make_hosts()
{
    local i host
    ip link add "$prefix" type bridge
    ip link set "$prefix" up
    for ((i = 1; i <= $1; i++)); do
        host=$prefix-$i
        ip netns add "$host"
        hosts+=("$host")
        ip link add "$host" type veth peer name wire netns "$host"
        ip link set "$host" master "$prefix" up
        ip -n "$host" addr add "10.99.0.$i/24" dev wire
        ip -n "$host" link set wire up
        ip -n "$host" link set lo up
        tc qdisc add dev "$host" root tbf rate "$rate" burst 256kb latency 100ms
        tc -n "$host" qdisc add dev wire root tbf rate "$rate" burst 256kb latency 100ms
    done
}

# What mpirun calls instead of ssh: ADDRESS COMMAND...
cat >agent <<END
#!/bin/bash
host=$prefix-\${1##*.}
shift
END
cat >>agent <<'END'
exec ip netns exec "$host" unshare --uts bash -c \
    'echo "$0" >/proc/sys/kernel/hostname && eval "$*"' "$host" "$@"
END
chmod +x agent

# sort_by_hosts: one rank in each.
sort_by_hosts()
{
    local list
    list=$(seq -s , -f 10.99.0.%g "${#hosts[@]}")
    ./agent 10.99.0.1 "$mpirun" --allow-run-as-root --host "$list" --map-by ppr:1:node \
        --bind-to none --mca plm_rsh_agent "$dir/agent" --mca btl tcp,self \
        --mca btl_tcp_if_include 10.99.0.0/24 --mca oob_tcp_if_include 10.99.0.0/24 \
        "$gsort_mpi" "${more[@]}" --apart --stats "$dir/in" -o "$dir/out"
}

"$keygen" uniform "${option[n]-64M}" >in
"$gsort" "${more[@]}" in -o wanted
echo "| hosts | exchange ms | MB/s sent by a rank | of $rate | total ms |"
echo '|---|---|---|---|---|'
for count; do
    make_hosts "$count"
    sort_by_hosts 2>said || {
        cat said >&2
        exit 1
    }
    cmp wanted out
    rm out
    bytes=$(tc -j qdisc show dev "$prefix-1" | grep -o '"rate":[0-9]*' | cut -d: -f2)
    awk -v hosts="$count" -v rate="$bytes" '
        $1 ~ /^[0-9]+$/ { most = $4 > most ? $4 : most }
        $1 == "all" { s = $6 }
        $1 == "total" { total = $2 }
        END { printf "| %d | %.0f | %.1f | %.0f %% | %.0f |\n", hosts, 1e3 * s, most / s,
            100 * most * 1e6 / s / rate, total }' said
    remove_hosts
done
