# K8: rows of the Mandelbrot set on unequal workstations. Sourced by kp96.sh.
#
# FOLDER/k8-MACHINES-PIECES has a line for each run:
#
#     METHOD SEED TIME-OVER-IDEAL SECONDS MIGRATIONS MIGRATED MESSAGES
#
# Seeds draw the order of the machines and, of 16, the twelve whose speeds the paper does not state.
# One run in detail has the machines of bench/sim/experiments.sh in their order: seed 0, of no table else.

# Migrations of so many tasks, as published.
KP96_SIZES='1:13 2:6 3:3 4:3 5:3 6:1 7:4 10:1 11:1 12:1 17:1 19:1 20:1 30:1'
KP96_WITHIN=10 # where ranks answer within rows: so often a mean row

# Slow machines keep others waiting for minutes of simulated time, which is nothing to be told of.
export KEEL_MPI_DEADLINE=1000000

# Looking for a letter in vain takes 0.1 ms here, so that simulated waits of minutes take few steps.
KP96_LOOKS='--cfg=smpi/test:1e-4 --cfg=smpi/iprobe:1e-4'

# The published tree: equal shares, its paths alone and both ways, higher ones only where lower ones
# gave nothing.
KP96_TREE=tree:shares=equal,links=paths,order=lowest

# NAME=SCHEDULE of methods that are told the speeds; published ones, and Keel's own.
# Others that can't take back what they have given a slow machine end much later: bench/sim has them.
KP96_OLD="ss=ss wf2=wf2 steal=steal:shares=equal
    diffuse=diffuse:shares=equal tree=$KP96_TREE
    tree-one-way=${KP96_TREE/paths/one-way} tree-half=$KP96_TREE,gamma=0.5"
KP96_DEFAULT=rate # as where KEEL_MPI_SCHEDULE is not set
KP96_OWN='tree-all=tree:shares=equal tree-speed=tree rate-speed=rate'

# kp96_names LIST: of NAME=SCHEDULE, the names.
kp96_names()
{
    tr -s ' \n' '\n' <<<"$1" | sed '/^$/d; s/=.*//'
}

# kp96_schedules LIST
kp96_schedules()
{
    tr -s ' \n' '\n' <<<"$1" | sed '/^$/d; s/^[^=]*=//'
}

# kp96_machines MACHINES SEED: seconds that each needs alone for all rows.
kp96_machines()
{
    if [ "$1" = 16 ] && [ "$2" = 0 ]; then
        tr ' ' '\n' <<<"$K8_SECONDS"
        return
    fi
    awk -v machines="$1" -v state="$2" '
        function draw() { state = state * 16807 % 2147483647; return state / 2147483647 }
        BEGIN {
            shuffled = state > 0
            for (i = 0; i < 10; i++) draw()
            split("250 692 693 2000", stated, " ")
            for (i = 1; i <= machines; i++) {
                machine[i] = i <= 4 ? stated[i] : sprintf("%.0f", 250 * exp(log(8) * draw()))
            }
            for (i = machines; shuffled && i > 1; i--) {
                j = 1 + int(i * draw()); kept = machine[i]; machine[i] = machine[j]; machine[j] = kept
            }
            for (i = 1; i <= machines; i++) print machine[i]
        }'
}

# kp96_rows FOLDER MACHINES SEED KNOWN ORDER PIECES COSTS SCHEDULE...: lines of `loops`. KNOWN: 1:
# ranks are told the speeds.
kp96_rows()
{
    local folder=$1 machines=$2 speeds SIM_FLAGS="${KP96_COSTS:-} $KP96_LOOKS"
    mapfile -t speeds < <(kp96_machines "$2" "$3" | awk '{ printf "%.0f\n", 1e9 / $1 }')
    sim_platform "$folder" 500us 1.25MBps "${speeds[@]}"
    sim_known "$4" "${speeds[@]}"
    sim_run "$folder/platform.xml" "$folder/hosts" "$machines" "$(kp96_programs loops)" \
        "$7" 800 1e9 "$5" "$6" "${@:8}"
}

# kp96_noted SEED NAME...: lines of a file of runs, from lines of `loops` in this order; the last
# instance counts where a schedule has several.
kp96_noted()
{
    awk -v seed="$1" -v names="${*:2}" '
        $1 == "loop" { if ($3 == 1) runs++; time[runs] = $4 / $6; rest[runs] = $4 " " $7 " " $8 " " $9 }
        END {
            split(names, name, " ")
            for (i = 1; i <= runs; i++) printf "%s %s %.6f %s\n", name[i], seed, time[i], rest[i]
        }'
}

# kp96_master_run FOLDER MACHINES SEED: self-scheduling by a master on one more machine.
kp96_master_run()
{
    local speeds time ideal
    mapfile -t speeds < <(kp96_machines "$2" "$3" | awk '{ printf "%.0f\n", 1e9 / $1 }')
    ideal=$(printf '%s\n' "${speeds[@]}" | awk '{ sum += $1 } END { print 1e9 / sum }')
    sim_platform "$1" 500us 1.25MBps 1e6 "${speeds[@]}"
    sim_known 0
    time=$(sim_run "$1/platform.xml" "$1/hosts" $(($2 + 1)) "$(kp96_programs master)" \
        800 1e9 8 3200)
    awk -v seed="$3" -v time="$time" -v ideal="$ideal" \
        'BEGIN { printf "ss-master %s %.6f %s 0 0 1600\n", seed, time / ideal, time }'
}

# kp96_runs FOLDER MACHINES PIECES SEED...: a file of runs of all methods.
kp96_runs()
{
    local folder=$1 machines=$2 pieces=$3 seed told="$KP96_OLD $KP96_OWN"
    shift 3
    for seed; do
        kp96_rows "$folder" "$machines" "$seed" 1 turns "$pieces" set $(kp96_schedules "$told") |
            kp96_noted "$seed" $(kp96_names "$told")
        kp96_rows "$folder" "$machines" "$seed" 0 turns "$pieces" set $KP96_DEFAULT "$KP96_DEFAULT*3" |
            kp96_noted "$seed" default rate-third
        kp96_master_run "$folder" "$machines" "$seed"
    done >"$folder/k8-$machines-$pieces"
}

# kp96_compare_row NAME FILE INPUTS [MIGRATIONS]: a row, and with that many published migrations one of
# the migrations of the same methods.
kp96_compare_row()
{
    local name=$1 file=$2 inputs=$3 old best
    read -r old old_name < <(paper_best "$file" $(kp96_names "$KP96_OLD") ss-master)
    read -r best best_name < <(paper_best "$file" default $(kp96_names "$KP96_OWN"))
    paper_compare "$name" 2 - "$(paper_spread "$file" tree)" "$(paper_spread "$file" default)" \
        "$old" "$old_name" "$best" "$best_name" "$inputs"
    [ -z "${4:-}" ] || paper_compare "$name: migrations" 0 "$4" "$(paper_spread "$file" tree 5)" \
        "$(paper_spread "$file" default 5)" "$(paper_spread "$file" "$old_name" 5)" "$old_name" \
        "$(paper_spread "$file" "$best_name" 5)" "$best_name" "$inputs"
}

# kp96_compare FOLDER SEED...
kp96_compare()
{
    local folder=$1 machines pieces inputs answers old_name best_name migrations
    paper_table "K8: 800 rows of the Mandelbrot set: time over that of all work by all speed"
    paper_compare_head 'machines; answers'
    for machines in 4 16; do
        inputs='costs of rows: ours'
        [ "$machines" = 4 ] || inputs="$inputs, 12 of 16 speeds: ours"
        for pieces in 1 "$KP96_WITHIN"; do
            migrations=''
            [ "$machines $pieces" != '16 1' ] || migrations=40
            [ "$pieces" = 1 ] && answers='between rows' || answers='within rows'
            kp96_compare_row "$machines; $answers" "$folder/k8-$machines-$pieces" "$inputs" \
                $migrations
        done
    done
    paper_compare_note "Keel's loops with KEEL_MPI_SCHEDULE=$KP96_TREE, told the speeds" \
        "$KP96_DEFAULT, told nothing" \
        "$(kp96_names "$KP96_OLD" | xargs), which are Keel's, and a program of the bench, ss-master" \
        "default $(kp96_names "$KP96_OWN" | xargs)"
    paper_seeds_note "${@:2}"
    paper_note "Within rows, where a simulation takes ten times as long, the first" \
        "$(awk '!seen[$2]++ { n++ } END { print n }' "$folder/k8-16-$KP96_WITHIN") of these." \
        'Drawn are the order of the machines and, of 16, the twelve speeds that the paper' \
        'does not state, between 250 and 2000 s. 10 Mbit/s, 1 ms from host to' \
        'host; rows dealt in turns; all but the default and ss-master are told the speeds. The' \
        'master of ss-master is one machine more, which computes nothing. Costs of rows are those' \
        'of a depth of 1000, which the paper does not state.'
}

# kp96_listed FILE METHOD WHAT
kp96_listed()
{
    local field shown=()
    for field in 3:3 5:0 7:0; do
        shown+=("$(paper_shown "$(paper_spread "$1" "$2" "${field%:*}")" "${field#*:}")")
    done
    printf '%-14s %-46s %22s %16s %18s\n' "$2" "$3" "${shown[@]}"
}

kp96_list()
{
    local file=$1
    kp96_listed "$file" ss-master 'self-scheduling (1986), a master beside them'
    kp96_listed "$file" ss 'the same; the counter is with a worker'
    kp96_listed "$file" wf2 'weighted factoring (1996), told the speeds'
    kp96_listed "$file" steal 'random victims (1999)'
    kp96_listed "$file" diffuse 'neighbourhoods (2005)'
    kp96_listed "$file" tree "K3's paths, both ways: as published"
    kp96_listed "$file" tree-one-way "K3's paths, only faster ones ask"
    kp96_listed "$file" tree-half "K3's paths, both ways, halves"
    kp96_listed "$file" tree-all "Keel's: more links, in turns"
    kp96_listed "$file" tree-speed "Keel's: and first blocks by speed"
    kp96_listed "$file" rate-speed "Keel's default, told the speeds"
    kp96_listed "$file" default "Keel's default, first instance"
    kp96_listed "$file" rate-third "Keel's default, third instance"
}

# kp96_methods FOLDER MACHINES PIECES TITLE: every method, the quickest first.
kp96_methods()
{
    paper_table "K8, $2 machines, $4: every method, medians and ranges over the same seeds"
    printf '%-14s %-46s %22s %16s %18s\n' method '' 'over ideal' migrations messages
    kp96_list "$1/k8-$2-$3" | sort -s -g -k1.62,1.69
}

# --- conclusions ---

# kp96_ratio FILE METHOD OTHER: medians and ranges of the ratios of each seed.
kp96_ratio()
{
    paper_shown "$(paper_over "$@")" 2
}

kp96_conclusions()
{
    local folder=$1 between=$1/k8-16-1 within=$1/k8-16-$KP96_WITHIN ratio
    local migrations middle most
    migrations=$(paper_spread "$between" tree 5)
    middle=$(paper_median "$migrations") most=${migrations##*:}
    ratio=$(kp96_ratio "$between" tree ss-master)
    paper_note "Seed by seed, on 16 machines between rows, Keel's default takes" \
        "$(kp96_ratio "$between" default tree) of the published tree's time, and" \
        "$(kp96_ratio "$between" default ss-master) of the master's."
    printf "  The paper's conclusions:\n"
    paper_conclusion "${ratio%% *} < 0.95" "the tree's finish time is much improved over self-scheduling" \
        "The published tree takes $ratio of what self-scheduling by a master takes, $(
            kp96_ratio "$between" tree ss) where the master computes, too, and answers between \
rows, and $(kp96_ratio "$within" tree ss) where it answers within rows. Tested: both ways and one \
way, shares by speed and halves, answers between and within rows, 4 and 16 machines, messages of \
1 ms and, below, of 4.5 ms. Not tested: the paper's machines, network and program, of which it \
gives no times."
    paper_conclusion "$middle >= 34 && $middle <= 46" \
        "some 40 migrations: $(paper_shown "$migrations" 0) over seeds" \
        'A count depends on the twelve speeds that the paper does not state.'
    paper_conclusion "$most <= 84.7" "formula K6 bounds the migrations: at most $most of 84.7" \
        "$most over seeds are more than 84.7; the formula takes r_max of two machines alone."
}

# The messages of the paper: what PVM with datagrams takes each side (saturation.sh).
kp96_costly()
{
    local folder=$1 seed KP96_COSTS='' option machines=16
    for option in os ois or; do
        KP96_COSTS+=" --cfg=smpi/$option:0:$KP96_ALPHA:$KP96_BETA"
    done
    for seed in "${@:2}"; do
        kp96_rows "$folder" "$machines" "$seed" 1 turns 1 set "$KP96_TREE" tree:shares=equal |
            kp96_noted "$seed" tree tree-all
        kp96_rows "$folder" "$machines" "$seed" 0 turns 1 set $KP96_DEFAULT | kp96_noted "$seed" default
        SIM_FLAGS=$KP96_COSTS kp96_master_run "$folder" "$machines" "$seed"
    done >"$folder/k8-costly"
    paper_note "With messages of 4.5 ms and 2.4 us a byte on each side (the paper's, of PVM with" \
        "datagrams) the published tree takes $(kp96_ratio "$folder/k8-costly" tree ss-master) of" \
        "the master's time, Keel's tree $(kp96_ratio "$folder/k8-costly" tree-all ss-master), and" \
        "Keel's default $(kp96_ratio "$folder/k8-costly" default ss-master)."
}

# --- one run in detail ---

kp96_detail()
{
    local folder=$1 speeds
    mapfile -t speeds < <(k8_speeds)
    "$(kp96_programs model)" rows 800 1e9 "${speeds[@]}" >"$folder/rows.model"
    kp96_rows "$folder" 16 0 1 turns 1 set "$KP96_TREE" ss >"$folder/rows.published"
    kp96_rows "$folder" 16 0 0 turns 1 set $KP96_DEFAULT >"$folder/rows.default"
    kp96_master_run "$folder" 16 0 >"$folder/rows.master"
}

kp96_detail_table()
{
    local folder=$1
    local model=$folder/rows.model published=$folder/rows.published
    paper_table "K8: the published tree beside Keel's model of it; 12 of 16 speeds: ours"
    paper_head
    paper_row 'tree, s' - "$(kp96_round 2 "$(kp96_of "$model" both 1 4)")" \
        "$(kp96_round 2 "$(kp96_of "$published" "$KP96_TREE" 1 4)")" -
    paper_row 'migrations, tree' 40 "$(kp96_of "$model" both 1 7)" \
        "$(kp96_of "$published" "$KP96_TREE" 1 7)" -
    paper_row 'tasks migrated, tree' 214 "$(kp96_of "$model" both 1 8)" \
        "$(kp96_of "$published" "$KP96_TREE" 1 8)" -
    paper_row 'ss by a master, s' - "$(kp96_round 2 "$(kp96_of "$model" ss 1 4)")" \
        "$(kp96_round 2 "$(cut -d ' ' -f 4 "$folder/rows.master")")" -
    paper_row 'migrations by formula K6' 84.7 "$(awk '$1 == "formula" { print $2 }' "$model")" - -
    paper_row 'greedy schedule, s' - "$(awk '$1 == "greedy" { printf "%.2f", $2 }' "$model")" - -
    paper_row 'all work over all speed, s' - "$(kp96_round 2 "$(kp96_of "$model" tree 1 6)")" - -
    paper_note 'Model: whole tasks played along the paths, the next ones handed over. Simulated:' \
        "mpi_backend with $KP96_TREE, which hands the last ones over. The greedy schedule knows" \
        'all: costliest row first, each to the machine that finishes it first. One set of machines:' \
        'how counts differ with the twelve speeds is above.'
}

kp96_machines_table()
{
    local folder=$1 machine
    local -a seconds ss model tree default
    read -ra seconds <<<"$K8_SECONDS"
    read -ra ss < <(kp96_line "$folder/rows.published" ss ends)
    read -ra model < <(kp96_line "$folder/rows.model" both ends)
    read -ra tree < <(kp96_line "$folder/rows.published" "$KP96_TREE" ends)
    read -ra default < <(kp96_line "$folder/rows.default" $KP96_DEFAULT ends)
    for machine in "${!seconds[@]}"; do
        printf '%s %.1f %.1f %.1f %.1f\n' "${seconds[machine]}" "${ss[machine]}" \
            "${model[machine]}" "${tree[machine]}" "${default[machine]}"
    done >"$folder/machines"
    paper_table 'K8: when each machine ends, s (figure 6b of the paper, which has no numbers)'
    printf '%-12s %9s %12s %9s %9s\n' 'alone, s' 'ss' 'tree, model' 'tree' default
    awk '{ printf "%-12s %9s %12s %9s %9s\n", $1, $2, $3, $4, $5 }' "$folder/machines"
}

kp96_sizes_table()
{
    local folder=$1 model published default size
    model=$(kp96_line "$folder/rows.model" both sizes)
    published=$(kp96_line "$folder/rows.published" "$KP96_TREE" sizes)
    default=$(kp96_line "$folder/rows.default" $KP96_DEFAULT sizes)
    paper_table 'K8: migrations of so many tasks'
    printf '%-12s %9s %12s %12s %9s\n' 'tasks' 'paper' 'tree, model' 'tree' default
    tr ' ' '\n' <<<"$KP96_SIZES $model $published $default" | cut -d: -f1 | sort -nu |
        while read -r size; do
            printf '%-12s %9s %12s %12s %9s\n' "$size" "$(kp96_size "$KP96_SIZES" "$size")" \
                "$(kp96_size "$model" "$size")" "$(kp96_size "$published" "$size")" \
                "$(kp96_size "$default" "$size")"
        done | tee "$folder/sizes"
}

# --- all of K8 ---

# kp96_k8 FOLDER SHORT
kp96_k8()
{
    local folder=$1 machines seeds within
    seeds=$(paper_seeds 15) within=$(paper_seeds 10)
    if [ "$2" = 1 ]; then
        seeds=$(paper_seeds 2) within=$seeds KP96_WITHIN=4
    fi
    for machines in 4 16; do
        kp96_runs "$folder" "$machines" 1 $seeds
        kp96_runs "$folder" "$machines" "$KP96_WITHIN" $within
    done
    kp96_compare "$folder" $seeds
    kp96_conclusions "$folder"
    kp96_costly "$folder" $seeds
    kp96_methods "$folder" 16 1 'answers between rows, as published'
    kp96_methods "$folder" 16 "$KP96_WITHIN" 'answers within rows'
    kp96_detail "$folder"
    kp96_detail_table "$folder"
    kp96_machines_table "$folder"
    kp96_sizes_table "$folder"
}
