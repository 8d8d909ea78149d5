#!/bin/bash
# keel model optimise: the best of what predict says, and the runners-up.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh
source tests/omp_ext/command/model/model.sh

# least NAME MODEL [NAME=VALUE...] <VALUES: "VALUE,TIME" of the first value with the least time.
least()
{
    local name=$1 model=$2 value
    shift 2
    while read -r value; do
        echo "$value,$(result "$model" time "$@" "$name=$value")"
    done | sort -t, -s -gk2 | head -n 1
}

# agrees NAME MODEL [NAME=VALUE...] <VALUES: whether the optimum is the best of these.
agrees()
{
    local name=$1 model=$2
    shift 2
    is "$("$keel" model optimise --csv "$model" "$@" | sed -n 2p | cut -d, -f2,3)" \
        "$(least "$name" "$model" "$@")" "$model $name $*"
}

schedules=$("$keel" list --names | grep -vxE 'auto|binlpt|lpt')
policies=$(printf '%s\n' none random diffusion redistribution rate tree)
agrees block pipeline elements=100 sequential=1 startup=3ms per-byte=0 < <(seq 100)
agrees block pipeline workers=16 elements=100 startup=1ms < <(seq 100)
agrees block pipeline workers=3 elements=97 startup=10us bytes=1000 < <(seq 97)
agrees schedule loop speeds=1,1,1,5 <<<"$schedules"
agrees schedule loop shape=decreasing deviation=3us <<<"$schedules"
agrees schedule loop threads=1 <<<"$schedules"
agrees policy balance leaving=0.05 speeds=1,2,3 threshold=0 alpha=0 gain=0 <<<"$policies"
agrees policy balance begin=even threshold=0 alpha=0 gain=0 <<<"$policies"
agrees tasks objects processors=16 quantum=0.1 neighbourhood=4 < <(printf '%s\n' 1 2 4 8 16 32)

# best MODEL [NAME=VALUE...]: the time of the best row.
best()
{
    "$keel" model optimise --csv "$@" | sed -n 2p | awk -F, '{ print $(NF - 1) }'
}
"$keel" model optimise --csv balance leaving=0.05 speeds=1,2,3 >"$TEST_TMPDIR/joint"
for policy in random diffusion redistribution rate tree; do
    is "$(sed -n "s/^[0-9]*,$policy,.*,\([^,]*\),[^,]*$/\1/p" "$TEST_TMPDIR/joint")" \
        "$(best balance leaving=0.05 speeds=1,2,3 policy=$policy)" "$policy has its best numbers among the policies"
done

# --- what is printed ---
pipeline=(elements=100 sequential=1 startup=3ms per-byte=0)
is "$("$keel" model optimise --csv pipeline "${pipeline[@]}" | head -n 4)" 'rank,block,time,best_saves_percent
1,6,0.352,0
2,8,0.355,0.8450704225
3,4,0.361,2.493074792' 'rows as CSV: candidates by time'
is "$("$keel" model optimise pipeline "${pipeline[@]}" | head -n 3)" \
    '      rank       block     time, s  best saves, %
         1           6       0.352              0
         2           8       0.355        0.84507' 'and as a table'
is "$("$keel" model optimise --csv balance policy=rate | head -n 1)" 'rank,threshold,alpha,gain,time,best_saves_percent' \
    'what is stated is not chosen'
like "$("$keel" model optimise balance)" '^ +[0-9]+ +none +- +- +- ' 'parameters that a policy has not'
is "$("$keel" model optimise loop | grep -c '^ *[0-9]')" 10 'ten rows'
is "$("$keel" model optimise loop --csv | tail -n +2 | wc -l)" "$("$keel" list --names | grep -cvxE 'auto|binlpt|lpt')" 'all as CSV'
for model in $models; do
    is "$(code within_cpu 60 "$keel" model optimise $model)" 0 "$model, all defaults"
    unlike "$(output)" '(^| )-?(nan|inf)( |$)' "$model: only numbers"
    like "$(output)" '^ +1 ' "$model: a best row"
done
done_testing
