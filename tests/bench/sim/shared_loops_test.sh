#!/bin/bash
# Shared loops in simulated jobs end when they should and execute every iteration once. Simulations
# repeat exactly, so what they print is compared as it is; after a change of how ranks share, look
# at the differences and write the output anew:
#
#   tests/bench/sim/shared_loops_test.sh write
source tests/support/tap.sh
source bench/sim/smpirun.sh
source bench/sim/experiments.sh

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
k8=$(keel_path bench/sim/k8)
scale=$(keel_path bench/sim/scale)

print_all()
{
    echo 'equal shares'
    k8_run "$folder" 0 "$k8" tree 'rate*2' steal diffuse ss fac2 af static || echo failed
    echo 'known speeds'
    k8_run "$folder" 1 "$k8" tree tree:shares=equal || echo failed
    for ranks in 16 64; do
        for costs in even irregular; do
            scale_run "$folder" 0 "$ranks" "$scale" 200 1e7 "$costs" tree 'rate*2' steal diffuse \
                fac2 af || echo failed
        done
    done
    echo 'known speeds'
    scale_run "$folder" 1 64 "$scale" 200 1e7 even tree || echo failed
}

# time_of SCHEDULE FILE: in the first line of it.
time_of()
{
    awk -v schedule="$1" '$1 == schedule { print $3; exit }' "$2"
}

# time_of_orders SCHEDULE: mean over four orders of K8's machines. Self-scheduling deals heavy rows
# to slow machines or to fast ones by their order.
time_of_orders()
{
    local turn machines
    read -ra machines <<<"$K8_SECONDS"
    for turn in 1 2 3 4; do
        machines=("${machines[@]:4}" "${machines[@]:0:4}")
        K8_SECONDS=${machines[*]} k8_run "$folder" 0 "$k8" "$1" >"$folder/order"
        time_of "$1" "$folder/order"
    done | awk '{ sum += $1 } END { print sum / NR }'
}

# below A B
below()
{
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'
}

if [ "${1:-}" = write ]; then
    print_all >tests/bench/sim/shared_loops.expected 2>&1
    exit
fi

print_all >"$folder/output" 2>&1
is "$(<"$folder/output")" "$(<tests/bench/sim/shared_loops.expected)" 'the same as ever'
is "$(grep -c -e WRONG -e failed "$folder/output")" 0 'every iteration once'
ok 'the tree ends earlier than self-scheduling' \
    below "$(time_of_orders tree)" "$(time_of_orders ss)"
ok 'also as it was published: equal shares, a tree by known speeds' \
    below "$(time_of tree:shares=equal "$folder/output")" "$(time_of ss "$folder/output")"
ok 'which takes no more than 40 migrations' \
    below "$(awk '$1 == "tree:shares=equal" { print $5 }' "$folder/output")" 41

done_testing
