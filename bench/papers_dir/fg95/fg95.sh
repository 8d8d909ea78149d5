# Franklin & Govindan 1995 (PAPERS.md F1-F10): a cluster of stars on unequal workstations.
#
#   domains on 2 to 16 hosts: the paper's program and policies, as it has them
#   nbody on 1 to 16 hosts: Keel's rows, under its own policies and those of the paper
#   nbody on one host -> what particles do -> model
#   all -> tables
#
# Sourced by bench/papers, after bench/sim/{smpirun,experiments}.sh and table.sh.
source bench/papers_dir/fg95/model.sh

# What the paper leaves open. Chosen: bytes that others are told of a particle (its number and its
# place), operations of a task (6.6 ms on the first host), seconds of a message and bytes per s of
# the Ethernet that all share. Fitted: powers of the 16 machines, in units of the first one's, to
# the
# ideal speed-ups; time of a step and speed of the whole cluster, in its own units, to the rows of
# none; operations of a comparison in redistribution's sorting, to one figure of F9, 2.44.
FG95_POWERS='1 .953 .70 .58 .35 .28 .24 .20 .19 .18 .175 .17 .165 .165 .16 .155'
FG95_UNIT=1e6 FG95_TASK=6600 FG95_BYTES=24
FG95_STARTUP=.001 FG95_BANDWIDTH=1.25e6
FG95_TIME=.1 FG95_WIND=.025
FG95_COMPARISON=32
FG95_REGIONS=8192 FG95_STEPS=100

FG95_PROGRAM=bench/papers_dir/fg95/domains    # with the paper's policies
FG95_ROWS_PROGRAM=bench/papers_dir/fg95/nbody # with Keel's rows
FG95_DEFAULT=auto                        # as where KEEL_MPI_BALANCE is not set

# At every hook, from rates as they are, whatever it costs.
FG95_EVERY='period=1e-9,quantum=1e-6,filter=no,pipelined=no,greatly=inf'
FG95_SEEDS=$(paper_seeds 10) # of the stars, and of what random draws
FG95_KEEL_SEEDS=$FG95_SEEDS

# Speed-ups of F8: hosts none random alpha w diffusion w redistribution w ideal.
FG95_TABLE='
2  1.71 1.76 .9 1.0 1.76 1.0 1.90 1.1 1.94
4  2.54 2.92 .7 1.0 2.61 1.1 2.87 1.2 3.13
8  2.96 3.75 .5 1.1 3.25 1.2 3.07 1.3 3.91
16 2.99 3.95 .5 1.2 3.27 1.2 2.75 1.4 4.41'

# --- hosts ---

fg95_powers()
{
    tr ' ' '\n' <<<"$FG95_POWERS" | head -n "$1" |
        awk -v unit="$FG95_UNIT" '{ printf "%.0f\n", $1 * unit }'
}

# fg95_platform FOLDER HOSTS: one wire for all.
fg95_platform()
{
    local folder=$1/$2 powers
    [ ! -e "$folder" ] || return 0
    mkdir -p "$folder"
    mapfile -t powers < <(fg95_powers "$2")
    sim_platform "$folder" 0us 1GBps "${powers[@]}"
    sed -i "s,^    <router,    <backbone id=\"wire\" bandwidth=\"${FG95_BANDWIDTH}Bps\" \
latency=\"${FG95_STARTUP}s\"/>\n&," "$folder/platform.xml"
    weights_of "${powers[@]}" >"$folder/weights"
}

# fg95_sort HOSTS: operations of orthogonal recursive bisection: all particles are sorted for each
# of log2 HOSTS cuts.
fg95_sort()
{
    awk -v hosts="$1" -v one="$FG95_COMPARISON" \
        'BEGIN { printf "%.0f\n", one * 1024 * 10 * log(hosts) / log(2) }'
}

# --- runs ---

# fg95_nbody FOLDER HOSTS BALANCE ARGUMENT...: the line that the program prints.
fg95_nbody()
{
    local folder=$1
    fg95_platform "$folder" "$2"
    KEEL_MPI_BALANCE=$3 KEEL_MPI_WEIGHTS=$(<"$folder/$2/weights") \
        SIM_FLAGS='--cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1' \
        sim_run "$folder/$2/platform.xml" "$folder/$2/hosts" "$2" \
        "$built/$FG95_ROWS_PROGRAM" "$FG95_REGIONS" "${@:4}"
}

# fg95_single [TASK]: seconds that the first host takes alone.
fg95_single()
{
    awk -v task="${1:-$FG95_TASK}" -v unit="$FG95_UNIT" -v steps="$FG95_STEPS" \
        'BEGIN { print 1024 * steps * task / unit }'
}

# fg95_domains FOLDER HOSTS CPU SETTING...: the line that the program prints. CPU: seconds that a
# host is busy with each message that it sends, and with each that it receives.
fg95_domains()
{
    local folder=$1 hosts=$2 cpu=$3
    fg95_platform "$folder" "$hosts"
    shift 3
    SIM_FLAGS="--cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1 --cfg=smpi/os:0:$cpu:0 \
        --cfg=smpi/or:0:$cpu:0" \
        sim_run "$folder/$hosts/platform.xml" "$folder/$hosts/hosts" "$hosts" \
        "$built/$FG95_PROGRAM" "power=$(fg95_powers "$hosts" | paste -sd,)" \
        steps="$FG95_STEPS" time="$FG95_TIME" wind="$FG95_WIND" flops="$FG95_TASK" \
        bytes="$FG95_BYTES" sort="$(fg95_sort "$hosts")" "$@"
}

# fg95_method HOSTS POLICY: settings of domains, with the paper's parameters.
fg95_method()
{
    awk -v hosts="$1" -v policy="$2" '$1 == hosts {
        printf "policy%s", policy == "diffusion_w1.0" ? "" : "=" policy
        if (policy == "random") printf " w=%s alpha=%s", $5, $4
        if (policy == "diffusion") printf " w=%s", $7
        if (policy == "diffusion_w1.0") printf "=diffusion w=1.0"
        if (policy == "redistribution") printf " w=%s", $9
    }' <<<"$FG95_TABLE"
}

# fg95_alone FOLDER: on the first host. Leaves what particles do in FOLDER/census.
fg95_alone()
{
    fg95_nbody "$1" 1 off "$FG95_STEPS" "$FG95_TIME" "$FG95_WIND" "$FG95_TASK" 0 "$FG95_BYTES" 1 \
        "$1/census" >"$1/alone"
    sed 's/^/1 /' "$1/alone" >"$1/runs"
}

# fg95_keep FOLDER STARS: the line of a program goes to FOLDER/runs, and its speed-up out.
fg95_keep()
{
    local line
    read -r line
    echo "$2 $line" >>"$1/runs"
    awk -v single="$(fg95_single "${3:-}")" '{ printf "%.3f\n", single / $2 }' <<<"$line"
}

# fg95_simulate FOLDER HOSTS BALANCE [SORT] [STARS]: the speed-up with Keel's rows.
fg95_simulate()
{
    fg95_nbody "$1" "$2" "$3" "$FG95_STEPS" "$FG95_TIME" "$FG95_WIND" "$FG95_TASK" "${4:-0}" \
        "$FG95_BYTES" "${5:-1}" | fg95_keep "$1" "${5:-1}"
}

# fg95_ideal FOLDER HOSTS: all tasks by all powers, and what messages took where particles did not
# move and nothing was balanced.
fg95_ideal()
{
    fg95_nbody "$1" "$2" off 20 0 0 "$FG95_TASK" 0 "$FG95_BYTES" 1 |
        awk -v powers="$(fg95_powers "$2" | xargs)" \
        -v unit="$FG95_UNIT" -v task="$FG95_TASK" '{
            messages = ($2 - $3) / 20; n = split(powers, power, " ")
            for (i = 1; i <= n; i++) sum += power[i]
            printf "%.3f\n", 1024 * task / power[1] / (1024 * task / sum + messages)
        }'
}

# fg95_policy POLICY W ALPHA SEED: as KEEL_MPI_BALANCE has it.
fg95_policy()
{
    case $1 in
    none) echo off ;;
    random) echo "random:graph=ring,w=$2,alpha=$3,seed=$4,$FG95_EVERY" ;;
    diffusion) echo "diffusion:graph=ring,w=$2,$FG95_EVERY" ;;
    redistribution) echo "redistribute:graph=all,w=$2,$FG95_EVERY" ;;
    esac
}

# fg95_play FOLDER HOSTS POLICY W ALPHA: simulated speed-up; of random, the mean over some seeds.
fg95_play()
{
    local seed seeds=1 sort=0
    [ "$3" != random ] || seeds='1 2 3'
    [ "$3" != redistribution ] || sort=$(fg95_sort "$2")
    for seed in $seeds; do
        fg95_simulate "$1" "$2" "$(fg95_policy "$3" "$4" "$5" "$seed")" "$sort"
    done | awk '{ sum += $1 } END { printf "%.3f\n", sum / NR }'
}

# --- the paper's program ---

# fg95_order FILE METHOD...: "A > B > C" by medians.
fg95_order()
{
    local file=$1 method
    shift
    for method; do
        echo "$(paper_median "$(paper_spread "$file" "$method")") $method"
    done | sort -s -gr -k1,1 | cut -d' ' -f2 | paste -sd'>' | sed 's/>/ > /g'
}

FG95_METHODS='none random diffusion redistribution'
FG95_OLD="$FG95_METHODS diffusion_w1.0" # the last one is not the paper's choice

# fg95_gather FOLDER FILE HOSTS CPU SEEDS METHODS SETTING...: lines "METHOD SEED SPEED-UP".
fg95_gather()
{
    local folder=$1 file=$2 hosts=$3 cpu=$4 seeds=$5 methods=$6 method seed
    shift 6
    for method in $methods; do
        for seed in $seeds; do
            echo "$method $seed $(fg95_domains "$folder" "$hosts" "$cpu" stars="$seed" \
                draw="$seed" $(fg95_method "$hosts" "$method") "$@" |
                fg95_keep "$folder" "$seed" "$FG95_TASK")"
        done
    done >"$file"
}

# --- Keel's policies ---

# Names and KEEL_MPI_BALANCE.
FG95_KEEL="$FG95_DEFAULT $FG95_DEFAULT
rate-local,_each_step rate-local:gain=0,$FG95_EVERY
tree,_each_step tree:gain=0,$FG95_EVERY"

# fg95_best FOLDER HOSTS: FOLDER/HOSTS/keel: "NAME SEED SPEED-UP" of each; best; ideal.
fg95_best()
{
    local name balance seed
    fg95_platform "$1" "$2"
    while read -r name balance; do
        for seed in $FG95_KEEL_SEEDS; do
            echo "$name $seed $(fg95_simulate "$1" "$2" "$balance" 0 "$seed")"
        done
    done <<<"$FG95_KEEL" >"$1/$2/keel"
    paper_median "$(paper_most "$1/$2/keel" $(cut -d' ' -f1 <<<"$FG95_KEEL"))" >"$1/$2/best"
    fg95_ideal "$1" "$2" >"$1/$2/ideal"
}

# --- tables ---

# fg95_compare FOLDER HOSTS NAME METHOD PAPER INPUTS: a row; the first one of so many hosts has Keel's,
# and the best of all methods.
fg95_compare()
{
    local file=$1/$2/methods keel=$1/$2/keel old own old_name own_name
    if [ "$4" != none ]; then
        paper_compare "$2: $3" 2 "$5" "$(paper_spread "$file" "$4")" - - '' - '' "$6"
        return
    fi
    read -r old old_name < <(paper_most "$file" $FG95_OLD)
    read -r own own_name < <(paper_most "$keel" $(cut -d' ' -f1 <<<"$FG95_KEEL"))
    paper_compare "$2: $3" 2 "$5" "$(paper_spread "$file" "$4")" "$(paper_spread "$keel" $FG95_DEFAULT)" \
        "$old" "${old_name//_/ }" "$own" "${own_name//_/ }" "$6"
}

fg95_f8()
{
    local folder=$1 hosts none random alpha wr diffusion wd redistribution wc ideal
    paper_table 'F8: speed-ups on 2 to 16 unequal hosts, parameters as in the paper'
    paper_compare_head hosts
    while read -r hosts none random alpha wr diffusion wd redistribution wc ideal; do
        [[ " $FG95_HOSTS " == *" $hosts "* ]] || continue
        fg95_gather "$folder" "$folder/$hosts/methods" "$hosts" 0 "$FG95_SEEDS" \
            "$FG95_OLD"
        fg95_compare "$folder" "$hosts" none none "$none" 'FITTED: dynamics'
        fg95_compare "$folder" "$hosts" "random $alpha, $wr" random "$random" chosen
        fg95_compare "$folder" "$hosts" "diffusion $wd" diffusion "$diffusion" chosen
        fg95_compare "$folder" "$hosts" "redistribution $wc" redistribution "$redistribution" \
            'FITTED: cost of sorting'
        paper_compare "$hosts: ideal" 2 "$ideal" "$(<"$folder/$hosts/ideal")" - - '' - '' \
            'FITTED: powers'
    done < <(grep . <<<"$FG95_TABLE")
    paper_compare_note "$FG95_PROGRAM, a program of the bench, with its own policies" \
        "$FG95_ROWS_PROGRAM, a program on Keel's rows, with KEEL_MPI_BALANCE=$FG95_DEFAULT, told the powers" \
        "${FG95_OLD//_/ }, of $FG95_PROGRAM" \
        "$(cut -d' ' -f1 <<<"$FG95_KEEL" | tr '_\n' ' ;' | sed 's/;$//; s/;/; /g'), of $FG95_ROWS_PROGRAM"
    paper_seeds_note $FG95_SEEDS
    fg95_f8_notes
}

fg95_f8_notes()
{
    paper_note "Seeds are of stars and of what random draws. $FG95_PROGRAM has domains in the plane," \
        'cut by orthogonal recursive bisection; whoever touches is a neighbour.' \
        "$FG95_ROWS_PROGRAM has the same stars in $FG95_REGIONS rows of a Hilbert curve, weighed" \
        'with the particles of the next step.'
    paper_note "Fitted: powers $FG95_POWERS, to the ideals; a step of $FG95_TIME and a" \
        "cluster that" \
        "moves across the plane at $FG95_WIND, to the rows of none (at rest, 2 hosts would stay" \
        "balanced); $FG95_COMPARISON operations a comparison of redistribution's sorting, to F9's" \
        '2.44 with w* = 1.0. So these rows are no evidence.'
    paper_note "Chosen: $FG95_BYTES bytes a particle, tasks of 6.6 ms on the first host," \
        "all hosts" \
        'share 10 Mbit/s, a message takes 1 ms more. The paper gives none of these.'
    paper_note 'On 2 hosts the paper has 1.76 for random in its table, and 1.8 for w* = 1.2' \
        'and 1.95' \
        'for w* = 1.0 in its text: what is beyond w* goes to the only neighbour, which' \
        'balances both.'
}

# fg95_median FOLDER HOSTS METHOD
fg95_median()
{
    paper_cell "$(paper_spread "$1/$2/methods" "$3")" 2 | cut -d ' ' -f 1
}

fg95_conclusions()
{
    local folder=$1 n=16 none random diffusion redistribution
    none=$(fg95_median "$folder" $n none) random=$(fg95_median "$folder" $n random)
    diffusion=$(fg95_median "$folder" $n diffusion)
    redistribution=$(fg95_median "$folder" $n redistribution)
    paper_table "The paper's conclusions (medians on 16 hosts)"
    paper_conclusion "$random > $diffusion" 'random is better than diffusion' \
        "Here $random and $diffusion. Diffusion costs nothing but its messages here; the paper says\
 that reading the state of neighbours and deciding cost it more, and not how much (below: from\
 about half a task's time a neighbour on, random is first)."
    paper_conclusion "$random > $redistribution" 'random is better than redistribution' \
        "Here $random and $redistribution."
    paper_conclusion "$diffusion > $redistribution" 'diffusion is better than redistribution' \
        "Here $diffusion and $redistribution."
    paper_conclusion "$redistribution < $none" 'redistribution is worse than no balancing' \
        "Here $redistribution and $none. A cost of sorting that would do it (below) makes 8 hosts\
 with w* = 1.0 far slower than in F9, so that no single cost gives both."
    paper_conclusion "$random >= 0.75 * $(<"$folder/$n/ideal")" \
        'random comes within 25 % of the ideal' "Here $random of $(<"$folder/$n/ideal")."
    paper_conclusion "$none <= 1.03 * $(fg95_median "$folder" 8 none)" \
        'without balancing, nothing is gained beyond 8 hosts' \
        "Here $(fg95_median "$folder" 8 none) on 8 and $none on 16 (fitted dynamics)."
}

# --- one thing at a time ---

# Name, latency, CPU, comparison, bytes, task, settings of domains. The first one is F8's; what
# follows differs in one thing, the last one in all of the first six.
FG95_VARIANTS='as above|.001|0|32|24|6600|
56 bytes a particle|.001|0|32|56|6600|
tasks of 15.4 ms|.001|0|32|24|15400|
latency 10 ms|.01|0|32|24|6600|
all tell all, agree 6 times|.001|0|32|24|6600|sync=all
neighbours: a line|.001|0|32|24|6600|graph=line
pieces of a Hilbert curve|.001|0|32|24|6600|shape=curve
all of these but latency|.001|0|32|56|15400|sync=all graph=line shape=curve
a message: 3 ms of each host|.001|.003|32|24|6600|
a message: 10 ms of each host|.001|.01|32|24|6600|
a neighbour: .5 tasks to ask|.001|0|32|24|6600|state=3300
a neighbour: 1.2 tasks to ask|.001|0|32|24|6600|state=8000
sorting: 200 a comparison|.001|0|200|24|6600|'

# fg95_variants FOLDER HOSTS SEEDS
fg95_variants()
{
    local folder=$1 hosts=$2 seeds=$3 name latency cpu settings file method number=0
    local FG95_STARTUP FG95_COMPARISON FG95_BYTES FG95_TASK
    paper_table "What decides the ranking: one thing changed at a time, $hosts hosts, seeds $seeds"
    printf '%-30s %7s %7s %9s %15s  %s\n' '' $FG95_METHODS order
    while IFS='|' read -r name latency cpu FG95_COMPARISON FG95_BYTES FG95_TASK settings; do
        FG95_STARTUP=$latency number=$((number + 1))
        mkdir -p "$folder/variants/latency$latency"
        file=$folder/variants/$number
        fg95_gather "$folder/variants/latency$latency" "$file" "$hosts" "$cpu" "$seeds" \
            "$FG95_METHODS" $settings
        printf '%-30s' "$name"
        for method in $FG95_METHODS; do
            paper_median "$(paper_spread "$file" "$method")"
        done | xargs printf ' %7.2f %7.2f %9.2f %15.2f'
        printf '  %s\n' "$(fg95_order "$file" $FG95_METHODS)"
    done <<<"$FG95_VARIANTS"
    cat "$folder"/variants/latency*/runs >>"$folder/runs"
    [ "$hosts" = 16 ] || return 0
    paper_note 'The paper has random > diffusion > none > redistribution. Random comes before' \
        'diffusion with neighbours in a line, and where asking a neighbour costs half a task or' \
        'more, which is what the paper names. Redistribution comes behind none where sorting' \
        'costs 200 operations a comparison. Bytes of particles, times of tasks, latency, a hook' \
        "in step as Keel's, and the shape of domains change the figures, and not who is first."
}

# fg95_f9 FOLDER SEEDS W...: the threshold.
fg95_f9()
{
    local folder=$1 seeds=$2 policy w seed inputs file=$1/f9
    shift 2
    local -A paper=([diffusion1.0]=2.87 [diffusion1.1]=3.08 [diffusion1.2]=3.26
        [diffusion1.3]=3.21 [diffusion1.4]=3.11
        [redistribution1.0]=2.44 [redistribution1.1]=2.76 [redistribution1.2]=2.95
        [redistribution1.3]=3.07 [redistribution1.4]=2.94 [redistribution1.5]=2.83)
    paper_table "F9: the threshold w*, on 8 hosts, seeds $seeds"
    printf '%-30s %8s %15s %15s  %s\n' '' paper "paper's method" 'range' inputs
    for policy in diffusion redistribution; do
        for w; do
            [ -n "${paper[$policy$w]:-}" ] || continue
            for seed in $seeds; do
                echo "$policy$w $seed $(fg95_domains "$folder" 8 0 stars="$seed" \
                    policy="$policy" w="$w" | fg95_keep "$folder" "$seed")"
            done >>"$file"
            inputs=chosen
            [ "$policy$w" != redistribution1.0 ] || inputs='FITTED: cost of sorting'
            printf '%-30s %8s %15s %15s  %s\n' "$policy $w" "${paper[$policy$w]}" \
                $(paper_cell "$(paper_spread "$file" "$policy$w")" 2) "$inputs"
        done
    done
    fg95_f9_conclusions "$file" "$@"
}

# The threshold whose median is best.
fg95_best_threshold()
{
    local file=$1 policy=$2 w
    shift 2
    paper_most "$file" $(for w; do echo "$policy$w"; done) | sed "s/.* $policy//"
}

fg95_f9_conclusions()
{
    [ $# -gt 2 ] || return 0
    local diffusion redistribution
    diffusion=$(fg95_best_threshold "$1" diffusion "${@:2}")
    redistribution=$(fg95_best_threshold "$1" redistribution "${@:2}")
    paper_conclusion "$redistribution > 1.0 && $redistribution < 1.5" \
        'redistribution has its best threshold between the ends' "Here $redistribution is best."
    paper_conclusion "$diffusion > 1.0 && $diffusion < 1.4" \
        'diffusion has its best threshold between the ends' \
        "Here $diffusion is best: what it gives costs it little, and it gives less with a larger\
 threshold."
}

# --- bars ---

# fg95_worst FOLDER: the largest difference of the model from the simulation, in percent.
fg95_worst()
{
    awk '{ d = 100 * ($6 / $7 - 1); d = d < 0 ? -d : d; worst = d > worst ? d : worst }
        END { printf "%.1f\n", worst }' "$1/rows"
}

# fg95_strays FOLDER: runs in which not every particle was computed in every step, or that have
# another result than the first one with the same stars.
fg95_strays()
{
    awk '!($1 in digest) { digest[$1] = $8 } $8 != digest[$1] || $9 != "all" { n++ }
        END { print n + 0 }' "$1/runs"
}

fg95_bars()
{
    local folder=$1
    paper_table 'Bars'
    paper_bar 'model from simulation, largest difference in percent' "$(fg95_worst "$folder")" 10
    paper_bar "Keel's best on 16 hosts, percent below the ideal" \
        "$(awk -v best="$(<"$folder/16/best")" -v ideal="$(<"$folder/16/ideal")" \
            'BEGIN { printf "%.1f", 100 * (1 - best / ideal) }')" 5
    paper_bar "of $(wc -l <"$folder/runs") runs, those in which a particle was left out" \
        "$(fg95_strays "$folder")" 0
}

# fg95_run FOLDER SHORT
fg95_run()
{
    local folder=$1 short=$2 hosts FG95_HOSTS='2 4 8 16' FG95_SEEDS=$FG95_SEEDS
    local FG95_KEEL=$FG95_KEEL FG95_VARIANTS=$FG95_VARIANTS FG95_OLD=$FG95_OLD
    local FG95_KEEL_SEEDS=$FG95_KEEL_SEEDS
    if [ "$short" = 1 ]; then
        FG95_OLD=$FG95_METHODS FG95_KEEL_SEEDS=$(paper_seeds 1)
        FG95_HOSTS='8 16' FG95_SEEDS=$(paper_seeds 2) FG95_KEEL=$(grep -v '^tree' <<<"$FG95_KEEL")
        FG95_VARIANTS=$(sed -n '6p; 11p' <<<"$FG95_VARIANTS")
    fi
    fg95_alone "$folder"
    for hosts in $FG95_HOSTS; do
        fg95_best "$folder" "$hosts"
    done
    : >"$folder/rows"
    fg95_f8 "$folder"
    fg95_conclusions "$folder"
    if [ "$short" = 0 ]; then
        fg95_variants "$folder" 16 '1 2 3'
        fg95_f9 "$folder" '1 2 3' 1.0 1.1 1.2 1.3 1.4 1.5
    else
        fg95_variants "$folder" 8 1
        fg95_f9 "$folder" 1 1.0
    fi
    fg95_model "$folder"
    if [ "$short" = 0 ]; then
        fg95_choices "$folder"
        fg95_points "$folder"
    fi
    fg95_bars "$folder"
}
