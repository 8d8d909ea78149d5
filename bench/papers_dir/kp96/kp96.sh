# Kim & Purtilo 1996 (PAPERS.md K1 to K9): loops shared by workstations of different speed.
#
#   loops, master (simulated), model -> files of lines -> tables
#
# Sourced by bench/papers, after bench/sim/{smpirun,experiments}.sh and table.sh. K8 is in k8.sh.
source bench/papers_dir/kp96/k8.sh

kp96_programs()
{
    printf '%s\n' "$built/bench/papers_dir/kp96/$1"
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

# --- saturation ---

KP96_PIECES=50 # ranks answer so often in a mean row

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

# kp96_run FOLDER SHORT
kp96_run()
{
    local folder=$1 short=$2
    local workers='2 4 8 12 16 20 25 30 35 40' added='0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1'
    [ "$short" = 0 ] || workers='4 25' added='0.4 0.8 1'
    kp96_example "$folder"
    kp96_k8 "$folder" "$short"
    kp96_saturation "$folder" $workers
    kp96_anomaly "$folder" $added
}
