#!/bin/bash
# keel model optimise: the best row of a sweep, and the runners-up.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh
source tests/omp_ext/command/model/model.sh

# best_of_sweep MODEL NAME=RANGE [NAME=VALUE...]: the first row with the least time.
best_of_sweep()
{
    "$keel" model sweep --csv --result time "$@" | tail -n +2 | sort -t, -s -gk2 | head -n 1
}

# agrees NAME=RANGE MODEL [NAME=VALUE...]: whether the optimum is the best row of a sweep over all values.
agrees()
{
    local range=$1 model=$2 sweep optimum
    shift 2
    sweep=$(best_of_sweep "$model" "$range" "$@")
    optimum=$("$keel" model optimise --csv --free "${range%%=*}" "$model" "$@" | sed -n 2p)
    is "$(cut -d, -f2,3 <<<"$optimum")" "$sweep" "$model ${range%%=*} $*"
}
agrees block=1:100:99 pipeline elements=100 sequential=1 startup=3ms per-byte=0
agrees block=1:1000:999 pipeline
agrees block=1:1000:999 pipeline workers=16 startup=1ms
agrees block=1:997:996 pipeline workers=3 elements=997 startup=10us bytes=1000
agrees schedule=every loop
agrees schedule=every loop speeds=1,1,1,5
agrees schedule=every loop shape=decreasing deviation=3us
agrees schedule=every loop threads=1
agrees policy=every balance
agrees policy=every balance leaving=0.05 speeds=1,2,3
agrees policy=every balance begin=even
agrees tasks=1/2/4/8/16/32 objects processors=16

# best MODEL [NAME=VALUE...]: the time of the best row.
best()
{
    "$keel" model optimise --csv "$@" | sed -n 2p | awk -F, '{ print $(NF - 1) }'
}

# no_worse SWEEP MODEL: numbers between candidates are tried, too.
no_worse()
{
    local range=$1 model=$2
    shift 2
    ok "$model: no worse than the best of $range" awk -v best="$(best "$model" "$@")" \
        -v sweep="$(best_of_sweep "$model" "$range" "$@" | cut -d, -f2)" 'BEGIN { exit !(best != "" && sweep != "" && best <= sweep) }'
}
no_worse block=1:10:9 pipeline workers=1 elements=10
no_worse alpha=0.1:1:9 balance policy=random leaving=0.05 speeds=1,2,3
no_worse threshold=1:1.5:20 balance policy=diffusion leaving=0.05 speeds=1,2,3
no_worse quantum=0.001:10:x2 objects processors=16 tasks=8 neighbourhood=4

ok 'numbers between candidates' awk -v best="$(best objects processors=16 tasks=8 neighbourhood=4)" \
    -v candidate="$(best_of_sweep objects quantum=every processors=16 tasks=8 neighbourhood=4 | cut -d, -f2)" \
    'BEGIN { exit !(best < candidate) }'
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
is "$("$keel" model optimise --csv pipeline "${pipeline[@]}" --free block block=5 | sed -n 2p)" 1,6,0.352,0 'a stated value is free if --free names it'
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
