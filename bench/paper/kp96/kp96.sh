# Kim & Purtilo 1996 (PAPERS.md K1 to K9): loops shared by workstations of different speed.
#
#   loops, master (simulated), model -> files of lines -> tables, pictures
#
# Sourced by bench/papers, after bench/sim/{smpirun,experiments}.sh and table.sh.

kp96_programs()
{
    printf '%s\n' "$built/bench/paper/kp96/$1"
}

# kp96_of FILE SCHEDULE INSTANCE FIELD: of a line that begins with `loop`. 4: time, 6: ideal time,
# 7: migrations, 8: iterations migrated.
kp96_of()
{
    awk -v schedule="$2" -v instance="$3" -v field="$4" \
        '$1 == "loop" && $2 == schedule && $3 == instance { print $field; exit }' "$1"
}

# kp96_line FILE SCHEDULE sizes|ends: what stands behind that word, of the first instance.
kp96_line()
{
    awk -v schedule="$2" -v word="$3" '$1 == "loop" { wanted = $2 == schedule && $3 == 1 }
        wanted && $1 == word { sub(/^[a-z]+ ?/, ""); print; exit }' "$1"
}

# kp96_size SIZES SIZE: how often.
kp96_size()
{
    tr ' ' '\n' <<<"$1" | awk -F: -v size="$2" '$1 == size { n = $2 } END { print n + 0 }'
}

# --- K7 ---

KP96_TASKS=60

kp96_example()
{
    local folder=$1 model simulated best
    sim_platform "$folder" 1us 1GBps 1e6 2e6 3e6 4e6
    "$(kp96_programs model)" example "$KP96_TASKS" >"$folder/example.model"
    KEEL_MPI_WEIGHTS=1,2,3,4 sim_run "$folder/platform.xml" "$folder/hosts" 4 \
        "$(kp96_programs loops)" even $((4 * KP96_TASKS)) $((4 * KP96_TASKS))e6 rows 1 \
        tree:shares=equal tree >"$folder/example.loops"
    model=$(kp96_line "$folder/example.model" tree sizes)
    simulated=$(kp96_line "$folder/example.loops" tree:shares=equal sizes)
    best=$(kp96_line "$folder/example.loops" tree sizes)
    paper_table "K7: throughputs 1 to 4 tasks a second, $KP96_TASKS tasks each"
    paper_head
    paper_row 'migrations' 2 "$(kp96_of "$folder/example.model" tree 1 7)" \
        "$(kp96_of "$folder/example.loops" tree:shares=equal 1 7)" \
        "$(kp96_of "$folder/example.loops" tree 1 7)"
    local size
    for size in $((3 * KP96_TASKS / 5)) $((3 * KP96_TASKS / 15)); do
        paper_row "of $size tasks" 1 "$(kp96_size "$model" "$size")" \
            "$(kp96_size "$simulated" "$size")" "$(kp96_size "$best" "$size")"
    done
    paper_row 'finish, s' $((2 * KP96_TASKS / 5)) \
        "$(kp96_round 2 "$(kp96_of "$folder/example.model" tree 1 4)")" \
        "$(kp96_round 2 "$(kp96_of "$folder/example.loops" tree:shares=equal 1 4)")" \
        "$(kp96_round 2 "$(kp96_of "$folder/example.loops" tree 1 4)")"
    paper_note 'Simulated: tree:shares=equal, speeds known beforehand (KEEL_MPI_WEIGHTS), 2 us' \
        'from host to host. Best: tree, whose first blocks go by these speeds: nothing is left' \
        'to move.'
}

# kp96_round DIGITS NUMBER
kp96_round()
{
    printf '%.*f\n' "$1" "$2"
}

# --- K8 ---

# Migrations of so many tasks, as published.
KP96_SIZES='1:13 2:6 3:3 4:3 5:3 6:1 7:4 10:1 11:1 12:1 17:1 19:1 20:1 30:1'
KP96_PIECES=50
KP96_BEST=diffuse

# kp96_rows FOLDER ORDER PIECES COSTS SCHEDULE...: 800 rows on K8's machines.
kp96_rows()
{
    k8_run "$1" "${KP96_KNOWN:-1}" "$(kp96_programs loops)" "$4" 800 1e9 "$2" "$3" "${@:5}"
}

kp96_rows_all()
{
    local folder=$1 short=$2 speeds
    mapfile -t speeds < <(k8_speeds)
    "$(kp96_programs model)" rows 800 1e9 "${speeds[@]}" >"$folder/rows.model"
    kp96_rows "$folder" turns 1 set tree:shares=equal >"$folder/rows.published"
    kp96_rows "$folder" rows "$KP96_PIECES" set ss >"$folder/rows.ss"
    kp96_rows "$folder" rows 1 set ss >"$folder/rows.ss_late"
    kp96_rows "$folder" speeds "$KP96_PIECES" set "$KP96_BEST" >"$folder/rows.best"
    kp96_rows "$folder" speeds 1 set "$KP96_BEST" tree >"$folder/rows.unpolled"
    [ "$short" = 0 ] || return 0
    kp96_rows "$folder" turns "$KP96_PIECES" set tree:shares=equal steal >"$folder/rows.polled"
    kp96_rows "$folder" speeds "$KP96_PIECES" set tree steal >"$folder/rows.speeds"
    kp96_rows "$folder" speeds "$KP96_PIECES" sorted "$KP96_BEST" >"$folder/rows.sorted"
    KP96_KNOWN=0 kp96_rows "$folder" turns "$KP96_PIECES" set 'rate*3' >"$folder/rows.learned"
}

# kp96_rows_row NAME FILE SCHEDULE INSTANCE: a run of Keel's alone, if there was one.
kp96_rows_row()
{
    [ ! -s "$2" ] || printf '  %-58s %7.2f s %4s migrations\n' "$1" "$(kp96_of "$2" "$3" "$4" 4)" \
        "$(kp96_of "$2" "$3" "$4" 7)"
}

kp96_rows_table()
{
    local folder=$1
    local model=$folder/rows.model published=$folder/rows.published best=$folder/rows.best
    paper_table 'K8: 800 rows of the Mandelbrot set on 16 machines that need 250 to 2000 s alone'
    paper_head
    paper_row 'self-scheduling, s' - "$(kp96_round 2 "$(kp96_of "$model" ss 1 4)")" \
        "$(kp96_round 2 "$(kp96_of "$folder/rows.ss" ss 1 4)")" \
        "$(kp96_round 2 "$(kp96_of "$best" "$KP96_BEST" 1 4)")"
    paper_row 'answers between rows, s' - "$(kp96_round 2 "$(kp96_of "$model" ss_late 1 4)")" \
        "$(kp96_round 2 "$(kp96_of "$folder/rows.ss_late" ss 1 4)")" -
    paper_row 'tree, s' - "$(kp96_round 2 "$(kp96_of "$model" both 1 4)")" \
        "$(kp96_round 2 "$(kp96_of "$published" tree:shares=equal 1 4)")" \
        "$(kp96_round 2 "$(kp96_of "$best" "$KP96_BEST" 1 4)")"
    paper_row 'migrations, tree' 40 "$(kp96_of "$model" both 1 7)" \
        "$(kp96_of "$published" tree:shares=equal 1 7)" "$(kp96_of "$best" "$KP96_BEST" 1 7)"
    paper_row 'tasks migrated, tree' 214 "$(kp96_of "$model" both 1 8)" \
        "$(kp96_of "$published" tree:shares=equal 1 8)" "$(kp96_of "$best" "$KP96_BEST" 1 8)"
    paper_row 'migrations by formula K6' 84.7 "$(awk '$1 == "formula" { print $2 }' "$model")" - -
    paper_row 'greedy schedule, s' - "$(awk '$1 == "greedy" { printf "%.2f", $2 }' "$model")" - -
    paper_row 'all work over all speed, s' - "$(kp96_round 2 "$(kp96_of "$model" tree 1 6)")" - -
}

kp96_rows_notes()
{
    local folder=$1
    paper_note 'Simulated: mpi_backend on 10 Mbit/s Ethernet, 1 ms from host to host; speeds' \
        'known beforehand. Tree: tree:shares=equal, rows dealt in turns, letters looked for' \
        'between rows, as published. Model: whole tasks played along the paths of the tree, both' \
        "partners ask and get the next rows; Keel's tree has more links, and gives the last rows."
    paper_note "Self-scheduling: rows as they lie, letters looked for $KP96_PIECES times a row" \
        '(keel_mpi_poll); or between rows alone: the rank that has the counter computes, too, and' \
        'answers late. Model: the play of a master, which is one of the machines in the latter' \
        'case.'
    paper_note "Best: $KP96_BEST, first blocks by speed, rows dealt in turns by speed so that" \
        "each block has its part of the picture, letters looked for $KP96_PIECES times a row." \
        'What rows cost is not known to it. The greedy schedule knows all: costliest row first,' \
        'each to the machine that finishes it first.'
    paper_note 'The paper gives no finish times in numbers, of single machines only the range and' \
        'that two need 692 and 693 s; the other speeds are ours. It finds its tree much faster' \
        'than self-scheduling. Here that holds only where both answer between rows, and then it' \
        'is a few percent: 800 messages of 1 ms do not hold anybody up.'
}

# Ways to share these rows that are in no column.
kp96_rows_otherwise()
{
    local folder=$1
    printf '  Keel otherwise; speeds are known beforehand, letters looked for within rows:\n'
    kp96_rows_row "$KP96_BEST, by speed, letters between rows" "$folder/rows.unpolled" \
        "$KP96_BEST" 1
    kp96_rows_row 'tree, by speed, letters between rows' "$folder/rows.unpolled" tree 1
    kp96_rows_row 'tree, by speed' "$folder/rows.speeds" tree 1
    kp96_rows_row 'steal, by speed' "$folder/rows.speeds" steal 1
    kp96_rows_row 'tree:shares=equal, in turns' "$folder/rows.polled" tree:shares=equal 1
    kp96_rows_row 'steal, in turns' "$folder/rows.polled" steal 1
    kp96_rows_row "$KP96_BEST, by speed, order of costs known (K9)" "$folder/rows.sorted" \
        "$KP96_BEST" 1
    kp96_rows_row 'rate, in turns, third instance, speeds learned' "$folder/rows.learned" rate 3
}

# Over how much the greedy schedule takes, in percent.
kp96_over_greedy()
{
    awk -v greedy="$(awk '$1 == "greedy" { print $2 }' "$1/rows.model")" -v time="$2" \
        'BEGIN { printf "%.1f\n", 100 * (time / greedy - 1) }'
}

# kp96_orders FOLDER: best and worst over ten orders of the machines.
kp96_orders()
{
    local folder=$1 order machines=$K8_SECONDS time=0 moved=0 K8_SECONDS
    for order in 1 2 3 4 5 6 7 8 9 10; do
        K8_SECONDS=$(tr ' ' '\n' <<<"$machines" | awk -v state="$order" '
            { machine[NR] = $1 }
            END {
                for (i = NR; i > 1; i--) {
                    state = state * 16807 % 2147483647
                    j = 1 + state % i
                    kept = machine[i]; machine[i] = machine[j]; machine[j] = kept
                }
                for (i = 1; i <= NR; i++) printf "%s%s", (i > 1 ? " " : ""), machine[i]
            }')
        kp96_rows "$folder" speeds "$KP96_PIECES" set "$KP96_BEST"
    done >"$folder/rows.orders"
    read -r time moved < <(awk '$1 == "loop" {
            if ($4 > time) time = $4
            if ($7 > moved) moved = $7
        } END { print time, moved }' "$folder/rows.orders")
    paper_note "Over ten other orders of the machines it needs at most $(kp96_round 2 "$time") s," \
        "$(kp96_over_greedy "$folder" "$time") % over the greedy schedule, and $moved migrations."
}

kp96_machines_table()
{
    local folder=$1 machine
    local -a seconds ss_model ss model tree best
    read -ra seconds <<<"$K8_SECONDS"
    read -ra ss_model < <(kp96_line "$folder/rows.model" ss ends)
    read -ra ss < <(kp96_line "$folder/rows.ss" ss ends)
    read -ra model < <(kp96_line "$folder/rows.model" both ends)
    read -ra tree < <(kp96_line "$folder/rows.published" tree:shares=equal ends)
    read -ra best < <(kp96_line "$folder/rows.best" "$KP96_BEST" ends)
    for machine in "${!seconds[@]}"; do
        printf '%s %.1f %.1f %.1f %.1f %.1f\n' "${seconds[machine]}" "${ss_model[machine]}" \
            "${ss[machine]}" "${model[machine]}" "${tree[machine]}" "${best[machine]}"
    done >"$folder/machines"
    paper_table 'K8: when each machine ends, s (figure 6b of the paper, which has no numbers)'
    printf '%-12s %9s %9s %12s %9s %9s\n' 'alone, s' 'ss, model' 'ss' 'tree, model' 'tree' \
        "$KP96_BEST"
    awk '{ printf "%-12s %9s %9s %12s %9s %9s\n", $1, $2, $3, $4, $5, $6 }' "$folder/machines"
}

kp96_sizes_table()
{
    local folder=$1 model published best size
    model=$(kp96_line "$folder/rows.model" both sizes)
    published=$(kp96_line "$folder/rows.published" tree:shares=equal sizes)
    best=$(kp96_line "$folder/rows.best" "$KP96_BEST" sizes)
    paper_table 'K8: migrations of so many tasks'
    printf '%-12s %9s %12s %12s %9s\n' 'tasks' 'paper' 'tree, model' 'tree' "$KP96_BEST"
    tr ' ' '\n' <<<"$KP96_SIZES $model $published $best" | cut -d: -f1 | sort -nu |
        while read -r size; do
            printf '%-12s %9s %12s %12s %9s\n' "$size" "$(kp96_size "$KP96_SIZES" "$size")" \
                "$(kp96_size "$model" "$size")" "$(kp96_size "$published" "$size")" \
                "$(kp96_size "$best" "$size")"
        done | tee "$folder/sizes"
}

# --- saturation ---

# Of PVM with datagrams, by the paper: s, and s a byte; each end of a message is busy for that.
KP96_ALPHA=0.004527 KP96_BETA=2.4e-6
KP96_RESULT=1600 # bytes of a row of 400 points
KP96_SECONDS=576 # that a machine needs for 800 rows of 800: K8's average speed

# kp96_saturated FOLDER WORKERS PROGRAM ARGUMENT...: that many machines, alike.
kp96_saturated()
{
    local folder=$1 machines=$2 cost=0:$KP96_ALPHA:$KP96_BETA speeds
    mapfile -t speeds < <(yes "$(kp96_speed)" | head -n "$machines")
    sim_platform "$folder" 50us 1.25MBps "${speeds[@]}"
    sim_known 0 "${speeds[@]}"
    SIM_FLAGS="--cfg=smpi/os:$cost --cfg=smpi/ois:$cost --cfg=smpi/or:$cost" \
        sim_run "$folder/platform.xml" "$folder/hosts" "$machines" "${@:3}"
}

# A fourth of K8's points is 250e6 operations.
kp96_speed()
{
    awk -v seconds="$KP96_SECONDS" 'BEGIN { printf "%.0f\n", 1e9 / seconds }'
}

# kp96_master FOLDER WORKERS: time by a master and so many workers.
kp96_master()
{
    kp96_saturated "$1" $(($2 + 1)) "$(kp96_programs master)" 400 250e6 8 "$KP96_RESULT"
}

# kp96_saturation_model ALPHA BETA: "workers N" and the time with 1, 2 ... 64 workers.
kp96_saturation_model()
{
    "$(kp96_programs model)" saturation 400 250e6 "$(kp96_speed)" "$1" "$2" 1e-4 8 "$KP96_RESULT" 64
}

# kp96_point ONE MANY: so many workers take as long as MANY, if one takes ONE and nobody waits.
kp96_point()
{
    awk -v one="$1" -v many="$2" 'BEGIN { printf "%.1f\n", one / many }'
}

# Of all lines of the model: how many workers keep the master busy with rows of the mean cost.
kp96_busy()
{
    awk '$1 == "workers" { print $2 }'
}

# kp96_modelled FOLDER WORKERS: time.
kp96_modelled()
{
    awk -v workers="$2" '$1 == workers { print $2 }' "$1/saturation.model"
}

# A line for each number of workers: workers, model, master, Keel's ss, tree.
kp96_saturation_points()
{
    local folder=$1 workers
    kp96_saturation_model "$KP96_ALPHA" "$KP96_BETA" >"$folder/saturation.model"
    for workers in "${@:2}"; do
        kp96_saturated "$folder" "$workers" "$(kp96_programs loops)" set 400 250e6 rows \
            "$KP96_PIECES" ss >"$folder/saturation.loops"
        kp96_saturated "$folder" "$workers" "$(kp96_programs loops)" set 400 250e6 turns \
            "$KP96_PIECES" tree >>"$folder/saturation.loops"
        printf '%s %s %s %s %s\n' "$workers" \
            "$(kp96_modelled "$folder" "$workers")" \
            "$(kp96_master "$folder" "$workers")" \
            "$(kp96_of "$folder/saturation.loops" ss 1 4)" \
            "$(kp96_of "$folder/saturation.loops" tree 1 4)"
    done >"$folder/saturation"
}

# kp96_own_ss FOLDER: Keel's self-scheduling with the most workers.
kp96_own_ss()
{
    awk 'END { printf "%.1f s with %s\n", $4, $1 }' "$1/saturation"
}

kp96_saturation()
{
    local folder=$1 workers model master ss tree
    kp96_saturation_points "$@"
    paper_table 'Self-scheduling of 400 rows of 400 points: time, s, and where it saturates'
    paper_head
    while read -r workers model master ss tree; do
        paper_row "$workers workers" - "$(kp96_round 2 "$model")" "$(kp96_round 2 "$master")" \
            "$(kp96_round 2 "$tree")"
    done <"$folder/saturation"
    paper_row 'saturation, workers' 25 \
        "$(kp96_point "$(kp96_modelled "$folder" 1)" "$(kp96_modelled "$folder" 64)")" \
        "$(kp96_point "$(kp96_master "$folder" 1)" "$(kp96_master "$folder" 64)")" -
    kp96_saturation_notes "$folder"
}

kp96_saturation_notes()
{
    local folder=$1
    paper_note 'Simulated: a master that does nothing else gives each worker a row at a time, as' \
        'in the paper. It is saturated by so many workers as would take as long as 64 do, if' \
        'nobody ever waited. Model: its play; by the mean cost of rows alone,' \
        "$(kp96_busy <"$folder/saturation.model") workers keep it busy. Best: Keel's tree, rows" \
        "dealt in turns. Keel's ss takes $(kp96_own_ss "$folder"): the rank that has the counter" \
        'computes, too; others draw several rows ahead where answers are slow, and rows are' \
        'brought together after the loop.'
    paper_note "Open in the paper: machines (here alike, $KP96_SECONDS s for K8's picture, K8's" \
        "mean speed) and what a message costs (here the paper's own figures for PVM with" \
        'datagrams, 4.5 ms and 2.4 us a byte, at each end). The point moves with the time of a' \
        'row over that of a message: about half as many workers for machines twice as fast, and' \
        "$(kp96_saturation_model 0.001661 1.57e-6 | kp96_busy) with the paper's 1.7 ms for streams."
}

# --- K9 ---

KP96_MACHINES=4

# kp96_shares FOLDER ADDED SCHEDULE...: 2000 tasks of 0.2 s on machines of speed 1 and, unless it is
# 0, one of speed ADDED.
kp96_shares()
{
    local folder=$1 added=$2 speeds
    mapfile -t speeds < <(yes 1e6 | head -n "$KP96_MACHINES")
    [ "$added" = 0 ] || speeds+=("${added}e6")
    sim_platform "$folder" 500us 1.25MBps "${speeds[@]}"
    sim_known 1 "${speeds[@]}"
    sim_run "$folder/platform.xml" "$folder/hosts" "${#speeds[@]}" "$(kp96_programs loops)" \
        even 2000 400e6 rows 1 "${@:3}"
}

kp96_anomaly()
{
    local folder=$1 added without with static tree limit
    kp96_shares "$folder" 0 static tree >"$folder/anomaly.without"
    "$(kp96_programs model)" anomaly 400 "$KP96_MACHINES" "${@:2}" >"$folder/anomaly.model"
    paper_table 'K9: equal shares, 4 machines of speed 1 and one more: time, s'
    paper_head
    read -r _ without _ limit <"$folder/anomaly.model"
    paper_row 'without it' "$(kp96_round 1 "$without")" "$(kp96_round 1 "$without")" \
        "$(kp96_round 1 "$(kp96_of "$folder/anomaly.without" static 1 4)")" \
        "$(kp96_round 1 "$(kp96_of "$folder/anomaly.without" tree 1 4)")"
    while read -r added _ with _; do
        kp96_shares "$folder" "$added" static tree >"$folder/anomaly.loops"
        printf '%s %s %s %s\n' "$added" "$with" "$(kp96_of "$folder/anomaly.loops" static 1 4)" \
            "$(kp96_of "$folder/anomaly.loops" tree 1 4)"
    done <"$folder/anomaly.model" >"$folder/anomaly"
    while read -r added with static tree; do
        paper_row "speed $added" "$(kp96_round 1 "$with")" "$(kp96_round 1 "$with")" \
            "$(kp96_round 1 "$static")" "$(kp96_round 1 "$tree")"
    done <"$folder/anomaly"
    paper_note "The paper's column is its formula. A machine slower than n/(n + 1), here" \
        "$(kp96_round 1 "$limit"), of the slowest makes it take longer. Simulated: static. Best:" \
        "tree," \
        'which gives each its share by speed.'
}

# --- all ---

kp96_pictures()
{
    local folder=$1 picture
    for picture in machines sizes saturation anomaly; do
        paper_draw -e "points='$folder/$picture'; output='$folder/kp96-$picture.png'" \
            "bench/paper/kp96/$picture.gp"
    done
}

# kp96_run FOLDER SHORT
kp96_run()
{
    local folder=$1 short=$2
    local workers='2 4 8 12 16 20 25 30 35 40' added='0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1'
    [ "$short" = 0 ] || workers='4 25' added='0.4 0.8 1'
    kp96_example "$folder"
    kp96_rows_all "$folder" "$short"
    kp96_rows_table "$folder"
    paper_bar "Keel's best, migrations" "$(kp96_of "$folder/rows.best" "$KP96_BEST" 1 7)" 40
    paper_bar "Keel's best over the greedy schedule, %" \
        "$(kp96_over_greedy "$folder" "$(kp96_of "$folder/rows.best" "$KP96_BEST" 1 4)")" 5
    kp96_rows_notes "$folder"
    kp96_rows_otherwise "$folder"
    [ "$short" = 1 ] || kp96_orders "$folder"
    kp96_machines_table "$folder"
    kp96_sizes_table "$folder"
    kp96_saturation "$folder" $workers
    kp96_anomaly "$folder" $added
    kp96_pictures "$folder"
}
