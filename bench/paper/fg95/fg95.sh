# Franklin & Govindan 1995 (PAPERS.md F1-F10): a cluster of stars on unequal workstations.
#
#   nbody on one host -> what particles do -> model
#   nbody on 2 to 16 hosts, under each policy -> simulated figures
#   both -> tables, pictures
#
# Sourced by bench/papers, after bench/sim/{smpirun,experiments}.sh and table.sh.

# What the paper leaves open. Operations per s of the 16 machines, in units of the first one's;
# operations of a task; seconds of a message and bytes per s of the Ethernet that all share: they
# decide the ideal speed-ups. Time of a step and speed of the whole cluster, in its own units: they
# decide how fast loads drift away from balance. Operations of a comparison in redistribution's
# sorting.
FG95_POWERS='1 .953 .70 .58 .35 .28 .24 .20 .19 .18 .175 .17 .165 .165 .16 .155'
FG95_UNIT=1e6 FG95_TASK=15400
FG95_STARTUP=.001 FG95_BANDWIDTH=1.25e6
FG95_TIME=.1 FG95_WIND=.035
FG95_COMPARISON=80
FG95_REGIONS=8192 FG95_STEPS=100

# At every hook, from rates as they are, whatever it costs.
FG95_EVERY='period=1e-9,quantum=1e-6,filter=no,pipelined=no,greatly=inf'
FG95_SEEDS='1 2 3'

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
    mkdir "$folder"
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
        "$built/bench/paper/fg95/nbody" "$FG95_REGIONS" "${@:4}"
}

# fg95_alone FOLDER: on the first host. Leaves what particles do in FOLDER/census.
fg95_alone()
{
    fg95_nbody "$1" 1 off "$FG95_STEPS" "$FG95_TIME" "$FG95_WIND" "$FG95_TASK" 0 "$1/census" \
        >"$1/alone"
    cp "$1/alone" "$1/runs"
}

# fg95_simulate FOLDER HOSTS BALANCE [SORT]: the speed-up.
fg95_simulate()
{
    fg95_nbody "$1" "$2" "$3" "$FG95_STEPS" "$FG95_TIME" "$FG95_WIND" "$FG95_TASK" "${4:-0}" |
        tee -a "$1/runs" |
        awk -v alone="$(cut -d' ' -f2 "$1/alone")" '{ printf "%.3f\n", alone / $2 }'
}

# fg95_ideal FOLDER HOSTS: all tasks by all powers, and what messages took where particles did not
# move and nothing was balanced.
fg95_ideal()
{
    fg95_nbody "$1" "$2" off 20 0 0 "$FG95_TASK" 0 | awk -v powers="$(fg95_powers "$2" | xargs)" \
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
    [ "$3" != random ] || seeds=$FG95_SEEDS
    [ "$3" != redistribution ] || sort=$(fg95_sort "$2")
    for seed in $seeds; do
        fg95_simulate "$1" "$2" "$(fg95_policy "$3" "$4" "$5" "$seed")" "$sort"
    done | awk '{ sum += $1 } END { printf "%.3f\n", sum / NR }'
}

# fg95_ask FOLDER HOSTS <RULES: the model's speed-ups.
fg95_ask()
{
    local powers
    mapfile -t powers < <(fg95_powers "$2")
    "$built/bench/paper/fg95/model" "$1/census" "$FG95_TASK" "$(fg95_sort "$2")" "$FG95_STARTUP" \
        "$FG95_BANDWIDTH" "${powers[@]}" | awk '{ printf "%.3f\n", $1 }'
}

# fg95_rule POLICY W ALPHA: as the model has it.
fg95_rule()
{
    case $1 in
    random | diffusion) echo "$1 ring $2 ${3:-0}" ;;
    *) echo "$1 all ${2:-0} 0" ;;
    esac
}

# fg95_row FOLDER HOSTS NAME PAPER POLICY [W ALPHA]: a row of a table, and of FOLDER/rows.
fg95_row()
{
    local model simulated best
    model=$(fg95_rule "$5" "${6:-0}" "${7:-0}" | fg95_ask "$1" "$2")
    simulated=$(fg95_play "$1" "$2" "$5" "${6:-1}" "${7:-.5}")
    best=$(<"$1/$2/best")
    paper_row "$3" "$4" "$model" "$simulated" "$best"
    echo "$2 $5 ${6:-0} ${7:-0} $4 $model $simulated $best" >>"$1/rows"
}

# --- Keel's policies ---

# Names and KEEL_MPI_BALANCE.
FG95_KEEL="auto auto
rate-local,_each_step rate-local:gain=0,$FG95_EVERY
tree,_each_step tree:gain=0,$FG95_EVERY"

# fg95_best FOLDER HOSTS: FOLDER/HOSTS/keel: name and speed-up of each; the best one.
fg95_best()
{
    local name balance
    fg95_platform "$1" "$2"
    while read -r name balance; do
        echo "$name $(fg95_simulate "$1" "$2" "$balance")"
    done <<<"$FG95_KEEL" >"$1/$2/keel"
    sort -k2,2nr "$1/$2/keel" | head -n1 | cut -d' ' -f2 >"$1/$2/best"
    fg95_ideal "$1" "$2" >"$1/$2/ideal"
}

fg95_keel_table()
{
    local folder=$1 hosts name simulated ideal model
    paper_table "Keel's own policies: speed-up, and difference from the ideal one in percent"
    printf '%-30s %9s %9s %9s %9s %7s\n' '' hosts model simulated ideal 'ideal%'
    for hosts in $FG95_HOSTS; do
        ideal=$(<"$folder/$hosts/ideal")
        while read -r name simulated; do
            model=-
            [ "$name" = auto ] ||
                model=$(fg95_rule "$([[ $name = tree* ]] && echo tree || echo rate)" |
                    fg95_ask "$folder" "$hosts")
            printf '%-30s %9s %9s %9s %9s %7s\n' "${name//_/ }" "$hosts" "$model" "$simulated" \
                "$ideal" "$(paper_difference "$simulated" "$ideal")"
            [ "$model" = - ] || echo "$hosts $name 0 0 - $model $simulated -" >>"$folder/rows"
        done <"$folder/$hosts/keel"
    done
    paper_note 'auto: what there is without a word: it interacts as often as it pays, and moves' \
        'what pays. The others take every step as the paper does, by rates as they are.'
    paper_note 'Regions are weighed with the particles that they will compute in the next step' \
        '(keel_mpi_rows_weigh_ahead), so that only what is smaller than a particle stays' \
        'unbalanced; the rest of what is missing are messages of balancing.'
}

# --- tables ---

fg95_f8()
{
    local folder=$1 hosts none random alpha wr diffusion wd redistribution wc ideal
    paper_table 'F8: speed-ups on 2 to 16 unequal hosts, parameters as in the paper'
    paper_head
    while read -r hosts none random alpha wr diffusion wd redistribution wc ideal; do
        [[ " $FG95_HOSTS " == *" $hosts "* ]] || continue
        fg95_row "$folder" "$hosts" "$hosts: none" "$none" none
        fg95_row "$folder" "$hosts" "$hosts: random $alpha, $wr" "$random" random "$wr" "$alpha"
        fg95_row "$folder" "$hosts" "$hosts: diffusion $wd" "$diffusion" diffusion "$wd"
        fg95_row "$folder" "$hosts" "$hosts: redistribution $wc" "$redistribution" \
            redistribution "$wc"
        paper_row "$hosts: ideal" "$ideal" "$(echo 'ideal - 0 0' | fg95_ask "$folder" "$hosts")" \
            "$(<"$folder/$hosts/ideal")" -
        echo "$hosts ideal 0 0 $ideal $(echo 'ideal - 0 0' | fg95_ask "$folder" "$hosts")" \
            "$(<"$folder/$hosts/ideal") -" >>"$folder/rows"
    done < <(grep . <<<"$FG95_TABLE")
    fg95_f8_notes
}

fg95_f8_notes()
{
    paper_note "Chosen: powers $FG95_POWERS; a task takes the first host" \
        "$(awk "BEGIN { print 1000 * $FG95_TASK / $FG95_UNIT }") ms; all hosts share 10 Mbit/s," \
        'and a message takes 1 ms more. In each step every host tells every other one all of its' \
        'particles (56 bytes each). That gives the ideals, in which these messages count as in' \
        'the paper. If particles were 24 bytes and tasks took 6.6 ms, ideals would be the same' \
        'and balancing would cost 2.3 times as large a part.'
    paper_note "Chosen: a step of $FG95_TIME (a star near the middle goes round in 6.3 units) and" \
        "a cluster that moves across the regions at $FG95_WIND (its stars' own speeds: 0.5 in" \
        'each direction). That gives the rows of none; at rest, 2 hosts would stay balanced.'
    paper_note "Regions are $FG95_REGIONS pieces of a Hilbert curve, where the paper cuts" \
        'rectangles; a host has a block of them, and the next ones on the curve are its' \
        'neighbours. The graph is a ring; what goes from one end to the other passes through all.'
    paper_note "random: the mean of seeds $FG95_SEEDS (model: of 16). On 2 hosts the paper has" \
        '1.76 in its table, and 1.8 for w* = 1.2 and 1.95 for w* = 1.0 in its text: what is' \
        'beyond w* goes to the only neighbour, which balances both. On 16 it is slower than' \
        'there, partly as a line has fewer neighbours than a plane: among all hosts the model' \
        'has 3.66.'
    paper_note 'redistribution: the first host is told all particles, sorts them for each of log2' \
        "n cuts, $FG95_COMPARISON operations a comparison, and answers; that cost is taken from" \
        'one figure of F9, 2.44 with w* = 1.0, where it is paid in every step. With larger w* it' \
        'is paid less often here than in the paper, where it makes 16 hosts slower than no' \
        'balancing. Faster dynamics do not make up for it: with steps of 0.4 the model has 3.3.'
    paper_note 'diffusion, random: what they cost the paper beyond messages, as reading the state' \
        'of neighbours, it does not say; none is charged. So diffusion with w* = 1.0, slower than' \
        'no balancing there (F9), is the best here.'
}

fg95_f9()
{
    local folder=$1 w
    shift
    local -A paper=([diffusion1.0]=2.87 [diffusion1.1]=3.08 [diffusion1.2]=3.26
        [diffusion1.3]=3.21 [diffusion1.4]=3.11
        [redistribution1.0]=2.44 [redistribution1.1]=2.76 [redistribution1.2]=2.95
        [redistribution1.3]=3.07 [redistribution1.4]=2.94 [redistribution1.5]=2.83)
    paper_table 'F9: the threshold w*, on 8 hosts'
    paper_head
    for policy in diffusion redistribution; do
        for w; do
            [ -n "${paper[$policy$w]:-}" ] || continue
            fg95_row "$folder" 8 "$policy $w" "${paper[$policy$w]}" "$policy" "$w"
        done
    done
    paper_note 'Redistribution has its best threshold in the middle, as in the paper. Diffusion' \
        'has none, as it costs little here (above).'
}

# fg95_grid: the paper's range.
fg95_grid()
{
    local alpha w
    for w in 1.0 1.1 1.2 1.3 1.4 1.5; do
        for alpha in .1 .2 .3 .4 .5 .6 .7 .8 .9 1; do
            echo "random ring $w $alpha"
        done
    done
    for w in 1.0 1.1 1.2 1.3 1.4 1.5; do
        echo "diffusion ring $w 0"
        echo "redistribution all $w 0"
    done
}

# fg95_surface FOLDER HOSTS: FOLDER/HOSTS/surface: policy, w*, alpha, the model's speed-up.
fg95_surface()
{
    paste -d' ' <(fg95_grid | cut -d' ' -f1,3,4) <(fg95_grid | fg95_ask "$1" "$2") \
        >"$1/$2/surface"
}

# What the model would choose, and whether it is better.
fg95_choices()
{
    local folder=$1 hosts policy w alpha published
    paper_table 'The best w* and alpha by the model, beside the best of the paper'
    paper_head
    for hosts in $FG95_HOSTS; do
        fg95_surface "$folder" "$hosts"
        for policy in random diffusion redistribution; do
            read -r _ w alpha _ < <(grep "^$policy " "$folder/$hosts/surface" | sort -k4,4nr)
            published=$(awk -v hosts="$hosts" -v policy="$policy" \
                '$1 == hosts { print policy == "random" ? $3 : policy == "diffusion" ? $6 : $8 }' \
                <<<"$FG95_TABLE")
            [ "$policy" != random ] || policy="random $alpha,"
            fg95_row "$folder" "$hosts" "$hosts: $policy $w" "$published" "${policy%% *}" "$w" \
                "$alpha"
        done
    done
}

# fg95_points FOLDER: simulated points of the surface of random on 8 hosts.
fg95_points()
{
    local folder=$1 w alpha model simulated FG95_SEEDS=1
    paper_table 'Figure 7: random on 8 hosts, points of the surface over alpha and w*'
    paper_head 'alpha, w*'
    for w in 1.0 1.2 1.4; do
        for alpha in .1 .5 .9; do
            model=$(awk -v w="$w" -v alpha="$alpha" \
                '$1 == "random" && $2 == w && $3 == alpha { print $4 }' "$folder/8/surface")
            simulated=$(fg95_play "$folder" 8 random "$w" "$alpha")
            paper_row "$alpha, $w" - "$model" "$simulated" "$(<"$folder/8/best")"
            echo "8 surface $w $alpha - $model $simulated -" >>"$folder/rows"
        done
    done
    paper_note 'The paper has no figures for its picture. It puts the best alpha between 0.3 and' \
        '0.7, as too many tasks for a neighbour by chance cost it its balance. All points by the' \
        'model: fg95-surface.png.'
}

# --- bars ---

# fg95_worst FOLDER: the largest difference of the model from the simulation, in percent.
fg95_worst()
{
    awk '{ d = 100 * ($6 / $7 - 1); d = d < 0 ? -d : d; worst = d > worst ? d : worst }
        END { printf "%.1f\n", worst }' "$1/rows"
}

# fg95_strays FOLDER: runs in which not every particle was computed in every step, with what there
# is on one host as the result.
fg95_strays()
{
    awk 'NR == 1 { digest = $7 } $7 != digest || $8 != "all" { n++ } END { print n + 0 }' "$1/runs"
}

# fg95_unbeaten FOLDER: rows of F8 and F9 in which the paper has a better figure than Keel's best.
fg95_unbeaten()
{
    awk '$5 != "-" && $8 != "-" && $8 <= $5 { n++ } END { print n + 0 }' "$1/rows"
}

fg95_bars()
{
    local folder=$1
    paper_table 'Bars'
    paper_bar 'model from simulation, largest difference in percent' "$(fg95_worst "$folder")" 10
    paper_bar "Keel's best on 16 hosts, percent below the ideal" \
        "$(awk -v best="$(<"$folder/16/best")" -v ideal="$(<"$folder/16/ideal")" \
            'BEGIN { printf "%.1f", 100 * (1 - best / ideal) }')" 5
    paper_bar "figures of the paper that Keel's best does not beat" "$(fg95_unbeaten "$folder")" 0
    paper_bar "of $(wc -l <"$folder/runs") runs, those in which a particle was left out" \
        "$(fg95_strays "$folder")" 0
}

# --- pictures ---

fg95_pictures()
{
    local folder=$1 hosts
    for hosts in $FG95_HOSTS; do
        awk -v hosts="$hosts" -v best="$(<"$folder/$hosts/best")" '
            $1 == hosts && !seen[$2]++ { model[$2] = $6; simulated[$2] = $7 }
            END {
                printf "%d", hosts
                n = split("none random diffusion redistribution ideal", name, " ")
                for (i = 1; i <= n; i++) printf " %s %s", model[name[i]], simulated[name[i]]
                print "", best
            }' "$folder/rows"
    done >"$folder/speedups"
    paper_draw -e "points='$folder/speedups'; output='$folder/fg95-speedups.png'" \
        bench/paper/fg95/speedups.gp
    for policy in random diffusion redistribution; do
        grep "^$policy " "$folder/8/surface" | cut -d' ' -f2- |
            awk '$1 != w && NR > 1 && $2 != 0 { print "" } { w = $1; print }' >"$folder/$policy"
    done
    awk '$1 == 8 { print $2, $3, $4, $7 }' "$folder/rows" >"$folder/simulated"
    paper_draw -e "folder='$folder'; output='$folder/fg95-surface.png'" bench/paper/fg95/surface.gp
}

# fg95_run FOLDER SHORT
fg95_run()
{
    local folder=$1 short=$2 hosts FG95_HOSTS='2 4 8 16' FG95_SEEDS=$FG95_SEEDS
    local FG95_KEEL=$FG95_KEEL
    if [ "$short" = 1 ]; then
        FG95_HOSTS='8 16' FG95_SEEDS=1 FG95_KEEL=$(grep -v '^tree' <<<"$FG95_KEEL")
    fi
    fg95_alone "$folder"
    for hosts in $FG95_HOSTS; do
        fg95_best "$folder" "$hosts"
    done
    : >"$folder/rows"
    fg95_f8 "$folder"
    if [ "$short" = 0 ]; then
        fg95_f9 "$folder" 1.0 1.1 1.2 1.3 1.4 1.5
        fg95_choices "$folder"
        fg95_points "$folder"
    else
        fg95_f9 "$folder" 1.0
        fg95_surface "$folder" 8
    fi
    fg95_keel_table "$folder"
    fg95_bars "$folder"
    fg95_pictures "$folder"
}
