# Barker & others 2005 (PAPERS.md R1 to R10): over-decomposed objects, preemptive polling, and
# an analytic model of both.
#
#   objects (simulated), forecast (model) -> files of lines -> tables
#
# Sourced by bench/papers, after bench/sim/{smpirun,experiments}.sh and table.sh.

source bench/papers_dir/prema05/studies.sh

# What the paper leaves open: the platform of R10 (333 MHz, 100 Mbit Ethernet, LAM/MPI). Seconds,
# and seconds per byte. A processor has 60 s of work; decision and quantum are the paper's.
PREMA05_STARTUP=1e-4 PREMA05_BYTE=8e-8
PREMA05_COSTS="work=60 object_bytes=65000 startup=$PREMA05_STARTUP byte=$PREMA05_BYTE context=20e-6
    poll=200e-6 decision=1e-4 install=2e-4 pack=20e-9"

# Published methods, self-scheduling (1986) and factoring (1992) among them; and Keel's own, for
# objects (mobile, which is what there is without a word) and for loops that ranks share. None of
# them but repartitioning knows weights.
PREMA05_OLD='none repartition iterative iterative:objects seed seed:random prema keel:ss keel:fac2
    keel:diffuse'
PREMA05_METHOD=prema # the paper's: Keel's objects with KEEL_MPI_BALANCE=prema
PREMA05_DEFAULT=mobile
PREMA05_OWN='mobile mobile:diffuse mobile:tree keel:rate keel:auto keel:tree keel:steal'

# prema05_has_scotch: whether there is a partitioner (apt-get install libscotch-dev).
prema05_has_scotch()
{
    PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | grep -q 'libscotch\(-7[.]0\)\?[.]so '
}

# Seeds of what is drawn: orders of search, phases of polls, places of seeds.
PREMA05_SEEDS=$(paper_seeds 10)
PREMA05_SEED=${PREMA05_SEEDS%% *} # of what runs once

# What each of 32 x 32 squares of a mesh took to refine, in s, on one rank: the tasks of PCDT. Measured
# in November 2026 with a Delaunay refinement that was bench/apps/pcdt.c until commit 26555dae.
PREMA05_PCDT=measured:bench/papers_dir/prema05/pcdt.csv

# The tests of R7: weights as objects has them, the paper's name, the limit of the model's error,
# and what the paper had.
PREMA05_TESTS='linear:2 linear-2 4 4
linear:4 linear-4 4 4
heavy:25:2 step 8 10
'"$PREMA05_PCDT PCDT 5 6"

# Each task of PCDT sends 10 messages to each of 4 others.
PREMA05_MESSAGES='messages=10 message_bytes=4000'

prema05_forecast()
{
    # words of both are arguments
    "$built/bench/papers_dir/prema05/forecast" $PREMA05_COSTS "$@"
}

# SMPI lets messages shorter than this overtake longer ones of the same rank, MPI does not: so all
# are shorter.
PREMA05_SHORT=4194304

# prema05_simulate FOLDER PROCESSORS STARTUP ARGUMENT...: a sender is busy with a message of n bytes
# for STARTUP + n PREMA05_BYTE; then it is there, nearly at once.
prema05_simulate()
{
    local folder=$1 processors=$2 startup=$3 speeds
    shift 3
    mapfile -t speeds < <(yes 1G | head -n "$processors")
    sim_platform "$folder" 1us 12.5GBps "${speeds[@]}"
    # processors with nothing to do wait for the heaviest task
    KEEL_MPI_DEADLINE=1000000 \
        SIM_FLAGS="--cfg=smpi/os:0:$startup:$PREMA05_BYTE --cfg=smpi/ois:0:$startup:$PREMA05_BYTE
        --cfg=smpi/send-is-detached-thresh:$PREMA05_SHORT
        --cfg=smpi/async-small-thresh:$PREMA05_SHORT" \
        sim_run "$folder/platform.xml" "$folder/hosts" "$processors" \
        "$built/bench/papers_dir/prema05/objects" $PREMA05_COSTS "$@"
}

# prema05_runs FILE WEIGHTS [TASKS]: of lines "SEED run POLICY ...": "POLICY SEED TIME".
prema05_runs()
{
    awk -v weights="$2" -v tasks="${3:-8}" \
        '$2 == "run" && $6 == weights && $5 == tasks { print $3, $1, $8 }' "$1"
}

# prema05_gains_over FILE OTHER: of lines "POLICY SEED TIME": by how many percent of OTHER's time
# with the same seed each takes less.
prema05_gains_over()
{
    awk -v other="$2" '
        $1 == other { reference[$2] = $3 }
        { line[NR] = $0 }
        END {
            for (i = 1; i <= NR; i++) {
                split(line[i], field, " ")
                if (reference[field[2]] > 0) {
                    printf "%s %s %.4f\n", field[1], field[2],
                        100 * (1 - field[3] / reference[field[2]])
                }
            }
        }' "$1"
}

# prema05_gain TIME OTHER: by how many percent of OTHER it is less; "-" where one is none.
prema05_gain()
{
    awk -v time="$1" -v other="$2" 'BEGIN {
        if (time + 0 == 0 || other + 0 == 0) print "-"
        else printf "%.1f", 100 * (1 - time / other)
    }'
}

prema05_round()
{
    awk -v value="$1" 'BEGIN { if (value == "") print "-"; else printf "%.2f", value }'
}

# --- R7: the model beside simulated runs ---

# prema05_cases WEIGHTS TASKS WORD...: arguments, the words for each number of tasks.
prema05_cases()
{
    local weights=$1 numbers=$2 number
    shift 2
    case $weights in
    measured:*) printf '%s ' "$PREMA05_MESSAGES" ;;
    esac
    printf 'weights=%s ' "$weights"
    for number in $numbers; do
        printf '%s ' tasks="$number" "$@"
    done
}

# prema05_compare FOLDER PROCESSORS TASKS SEEDS: lines
#
#   weights processors tasks PUBLISHED WALK2 SIMULATED2 WALK SIMULATED
#
# PUBLISHED: the model of the paper. WALK2: processors that go on one by one, instead of its rounds.
# SIMULATED2: the simulation with the same two classes of weights. WALK, SIMULATED: the same with
# the weights as they are; SIMULATED is a spread over the seeds.
prema05_compare()
{
    local folder=$1 processors=$2 tasks=$3 seeds=$4 file=$1/compare$2.runs weights chances seed
    chances="classes=2 prema classes=0"
    for seed in $seeds; do
        chances+=" chance=$seed prema"
    done
    for weights in $(cut -d ' ' -f 1 <<<"$PREMA05_TESTS"); do
        prema05_simulate "$folder" "$processors" "$PREMA05_STARTUP" \
            $(prema05_cases "$weights" "$tasks" chance=1 $chances) |
            awk -v seeds="2-classes $seeds" 'BEGIN { n = split(seeds, seed, " ") }
                { print seed[(NR - 1) % n + 1], $0 }' >>"$file"
        prema05_forecast processors="$processors" \
            $(prema05_cases "$weights" "$tasks" classes=2 x classes=0 x)
    done | while read -r _ _ tasks weights _ _ walk2 _ published _ &&
        read -r _ _ _ _ _ _ walk _; do
        printf '%s %s %s %s %s %s %s %s\n' "$weights" "$processors" "$tasks" "$published" "$walk2" \
            "$(awk -v weights="$weights" -v tasks="$tasks" \
                '$1 == "2-classes" && $6 == weights && $5 == tasks { print $8 }' "$file")" "$walk" \
            "$(paper_spread <(prema05_runs <(grep -v '^2-classes' "$file") "$weights" "$tasks") \
                prema)"
    done
}

prema05_name_of()
{
    awk -v weights="$1" '$1 == weights { print $2 }' <<<"$PREMA05_TESTS"
}

# prema05_error FILE WEIGHTS FIELD REFERENCE: mean of the absolute differences of one field from
# another one, in percent; of a spread, its median.
prema05_error()
{
    awk -v weights="$2" -v field="$3" -v reference="$4" '$1 == weights {
        difference = ($field + 0) / ($reference + 0) - 1
        sum += difference < 0 ? -difference : difference
        count++
    } END { if (count) printf "%.1f", 100 * sum / count; else print "-" }' "$1"
}

# prema05_model_row NAME PAPER FIGURE...: of the table of errors.
prema05_model_row()
{
    printf '%-30s %9s %11s %11s %11s %11s %11s\n' "$@"
}

prema05_errors()
{
    local file=$1 weights name limit paper
    paper_table 'R7: mean absolute error of the model, %, and of each step of its approximation'
    prema05_model_row '' paper 'whole model' '2 classes' rounds events "Keel's walk"
    while read -r weights name limit paper; do
        prema05_model_row "$name" "$paper" "$(prema05_error "$file" "$weights" 4 8)" \
            "$(prema05_error "$file" "$weights" 6 8)" "$(prema05_error "$file" "$weights" 4 5)" \
            "$(prema05_error "$file" "$weights" 5 6)" "$(prema05_error "$file" "$weights" 7 8)"
    done <<<"$PREMA05_TESTS"
    paper_note 'Whole model: the published one, with two classes, from the simulation of' \
        'the tasks as' \
        'they are: like for like with the error that the paper states of its machine. Its steps:' \
        '2 classes: the simulation with each weight replaced by the mean of its class (R3), from' \
        'that with the weights as they are. Rounds: the published formulas (R5), by which all' \
        'processors of a class do the same, from processors that go on one by one with the same' \
        'two classes. Events: those from the simulation with the two classes (searches, polls and' \
        "messages as they come). Keel's walk is not the model of the paper: processors that go on" \
        'one by one with all weights known, which is a small simulation itself' \
        '(schedules/model/objects_bounds.h).'
    while read -r weights name limit paper; do
        paper_conclusion "$(prema05_error "$file" "$weights" 4 8) <= $paper" \
            "$name: the published model is within $paper % in the mean" \
            "Here it is $(prema05_error "$file" "$weights" 4 8) % off; by itself, replacing weights\
 by two means changes the simulated time by $(prema05_error "$file" "$weights" 6 8) %, and rounds\
 in step the forecast by $(prema05_error "$file" "$weights" 4 5) %."
    done <<<"$PREMA05_TESTS"
    while read -r weights name limit paper; do
        paper_bar "$name, Keel's walk, % off" "$(prema05_error "$file" "$weights" 7 8)" "$limit"
    done <<<"$PREMA05_TESTS"
}

prema05_r7()
{
    local folder=$1 short=$2 processors='32 64' tasks='2 4 8 16' number seeds='1 2 3'
    [ "$short" = 0 ] || processors=32 tasks='4 8' seeds='1 2'
    for number in $processors; do
        prema05_compare "$folder" "$number" "$tasks" "$seeds"
    done >"$folder/compare"
    paper_table 'R7: PREMA, time in s (60: all work over all processors)'
    printf '%-30s %9s %11s %11s %11s %11s %s\n' 'test, processors, tasks each' published \
        '2: walk' '2: simul.' walk simulated 'lowest-highest of seeds'
    while read -r weights number tasks published walk2 simulated2 walk simulated; do
        printf '%-30s %9.2f %11.2f %11.2f %11.2f %11.2f %s\n' \
            "$(prema05_name_of "$weights"), $number, $tasks" "$published" "$walk2" "$simulated2" \
            "$walk" "$(paper_median "$simulated")" "$(paper_cell "$simulated" 2 | cut -d ' ' -f 2)"
    done <"$folder/compare"
    paper_note 'The paper shows times in pictures only, in units that it does not tell.' \
        'published: its' \
        "model, from two classes of tasks. 2: the walk and the simulation with these two classes." \
        "Seeds of simulated runs: $seeds."
    prema05_errors "$folder/compare"
}

# --- R9: policies beside each other ---

PREMA05_MANY_BYTES='65000 650000 2600000' # of an object

# prema05_with_seeds FOLDER SEEDS ARGUMENT...: lines "SEED run ...".
prema05_with_seeds()
{
    local folder=$1 seeds=$2 seed
    shift 2
    for seed in $seeds; do
        prema05_simulate "$folder" 64 "$PREMA05_STARTUP" chance="$seed" \
            $(sed "s/SEED/$seed/g" <<<"$*") | sed "s/^run /$seed &/"
    done
}

# prema05_runs_all FOLDER SHORT: all policies; the paper's benchmark and PCDT.
prema05_runs_all()
{
    local folder=$1 short=$2 file=$1/gains bytes
    local seeds=$PREMA05_SEEDS all="$PREMA05_OLD $PREMA05_OWN"
    [ "$short" = 0 ] || seeds=$(paper_seeds 2)
    prema05_with_seeds "$folder" "$seeds" weights=heavy:10:2 $all >"$file"
    for bytes in $PREMA05_MANY_BYTES; do
        prema05_with_seeds "$folder" "$PREMA05_SEED" weights=heavy:10:2 object_bytes="$bytes" prema keel:ss \
            keel:auto keel:rate mobile >"$folder/bytes-$bytes"
    done
    [ "$short" = 0 ] || return 0
    prema05_with_seeds "$folder" "$seeds" weights=heavy:25:2 $all >>"$file"
    # one seed, and none of the loops: processors wait for minutes for the heaviest task, and look
    # for messages meanwhile, which takes simulations long
    prema05_with_seeds "$folder" "$PREMA05_SEED" $PREMA05_MESSAGES weights=$PREMA05_PCDT tasks=8 prema \
        tasks=16 none prema "$PREMA05_DEFAULT" >>"$file"
}

# prema05_gain_row NAME PAPER FILE OTHER WEIGHTS TASKS WORDS: what is gained over another policy.
prema05_gain_row()
{
    local name=$1 paper=$2 file=$3 other=$4 old own old_name own_name gains=$3.over
    prema05_runs "$file" "$5" "$6" >"$file.runs"
    prema05_gains_over "$file.runs" "$other" >"$gains"
    read -r old old_name < <(paper_most "$gains" $PREMA05_OLD)
    read -r own own_name < <(paper_most "$gains" $PREMA05_OWN)
    paper_compare "$name" 1 "$paper" "$(paper_spread "$gains" "$PREMA05_METHOD")" \
        "$(paper_spread "$gains" "$PREMA05_DEFAULT")" "$old" "$old_name" \
        "$own" "$own_name" "$7"
}

# prema05_median FILE WEIGHTS POLICY OTHER [TASKS]: of the gain over OTHER.
prema05_median()
{
    prema05_runs "$1" "$2" "${5:-8}" >"$1.runs"
    prema05_gains_over "$1.runs" "$4" >"$1.over"
    paper_cell "$(paper_spread "$1.over" "$3")" 1 | cut -d ' ' -f 1
}

# What 16 instead of 8 tasks gain, of the same seed.
prema05_pcdt_more()
{
    awk '$2 == "run" && $3 == "prema" && $6 ~ /^measured:/ {
            print ($5 == 8 ? "eight" : "prema"), $1, $8 }' "$1" >"$1.runs"
    prema05_gains_over "$1.runs" eight >"$1.over"
    paper_compare '16 for 8 tasks, PCDT' 1 3.4 "$(paper_spread "$1.over" prema)" - - '' - '' \
        'weights: measured'
}

# prema05_policies FILE WEIGHTS TITLE: all that ran with the first seed.
prema05_policies()
{
    local none
    none=$(prema05_runs "$1" "$2" | awk -v seed="$PREMA05_SEED" '$1 == "none" && $2 == seed { print $3 }')
    paper_table "$3, seed $PREMA05_SEED"
    awk -v weights="$2" -v none="$none" -v seed="$PREMA05_SEED" 'BEGIN {
        printf "%-30s %9s %9s %9s %9s %9s\n", "policy", "time, s", "gain, %", "idle, %", "objects",
            "messages"
    } $1 == seed && $2 == "run" && $6 == weights && $5 == 8 {
        printf "%-30s %9.2f %9.1f %9.1f %9d %9d\n", $3, $8, 100 * (1 - $8 / none),
            100 * (1 - $9 / $8), $12, $13
    }' "$1"
}

prema05_bytes_table()
{
    local bytes policy
    paper_table "R9: time in s by the bytes of an object, 64 processors, 10 % heavy, seed $PREMA05_SEED"
    printf '%-30s %9s %9s %9s %9s %9s\n' 'bytes' PREMA ss auto rate objects
    for bytes in $PREMA05_MANY_BYTES; do
        printf '%-30s' "$bytes"
        for policy in prema keel:ss keel:auto keel:rate mobile; do
            printf ' %9.2f' "$(prema05_runs "$1/bytes-$bytes" heavy:10:2 |
                awk -v policy="$policy" '$1 == policy { print $3 }')"
        done
        printf '\n'
    done
    paper_note 'The paper does not tell how large its objects are. Self-scheduling moves' \
        'nearly all of' \
        "them, PREMA and Keel's objects a few: with 2600000 bytes, self-scheduling and Keel's" \
        'auto, which chooses it here without knowing the bytes, are slower than both.'
}

prema05_conclusions()
{
    local file=$1 short=$2 prema
    prema=$(prema05_median "$file" heavy:10:2 prema none)
    paper_conclusion "$prema >= 36 && $prema <= 40" \
        'PREMA gains 38 % over no balancing, 10 % of tasks heavy' "Here $prema %."
    prema=$(prema05_median "$file" heavy:10:2 prema repartition)
    paper_conclusion "$prema >= 35" 'PREMA gains 40 % over repartitioning' \
        "Here $prema %: repartitioning by true weights gains over none, which in the paper it does\
 not. Tested: that it loses time only where the request to stop finds a heavy task just begun. Not\
 tested: what ParMETIS decided there."
    prema=$(prema05_median "$file" heavy:10:2 prema iterative)
    paper_conclusion "$prema >= 36" 'PREMA gains 41 % over iterative balancing' \
        "Here $prema %; $(prema05_median "$file" heavy:10:2 prema iterative:objects) % where what\
 is measured is of objects that are done, so that nothing useful moves."
    prema=$(prema05_median "$file" heavy:10:2 prema seed)
    paper_conclusion "$prema >= 18" 'PREMA gains 20 % over seed-based balancing' \
        "Here $prema %; $(prema05_median "$file" heavy:10:2 prema seed:random) % where seeds go to\
 processors drawn by chance (- in short). The paper names neither topology nor balancer."
    prema=$(prema05_median "$file" heavy:10:2 keel:ss prema)
    paper_conclusion "$prema <= 0" 'PREMA is faster than what there was before it' \
        "Self-scheduling of 1986, which the paper does not compare, takes $prema % less time than\
 PREMA here: tasks of seconds stand against half a quantum for an object, and heavy tasks begin\
 early. With large objects (below) it is slower."
    [ "$short" = 0 ] || return 0
    prema=$(prema05_median "$file" heavy:25:2 prema repartition)
    paper_conclusion "$prema >= 34" 'PREMA gains 39 % over repartitioning, 25 % of tasks heavy' \
        "Here $prema %, as above."
}

prema05_bars()
{
    local file=$1 own policy
    prema05_runs "$file" heavy:10:2 >"$file.runs"
    prema05_gains_over "$file.runs" none >"$file.over"
    read -r own policy < <(paper_most "$file.over" $PREMA05_OWN)
    paper_bar "Keel's best over none ($policy), 100 - gain" \
        "$(awk -v gain="${own%%:*}" 'BEGIN { printf "%.1f", 100 - gain }')" 60
    prema05_gains_over "$file.runs" seed >"$file.over"
    read -r own policy < <(paper_most "$file.over" $PREMA05_OWN)
    paper_bar "Keel's best over seed-based ($policy), 100 - gain" \
        "$(awk -v gain="${own%%:*}" 'BEGIN { printf "%.1f", 100 - gain }')" 80
}

prema05_notes()
{
    paper_note 'gain: of the time of the policy that is named, with the same seed. An object comes' \
        'with its bytes, from where it is, when its processor polls.'
    paper_note 'Heavy tasks are the last ones, so some processors have nothing else. With 10 % of' \
        'them, none ends after the time of 16 light tasks, and PREMA after 10, as what' \
        'migrates begins when 8 are over. Whole tasks allow 9: heavy ones have to begin by 7,' \
        'so somebody has to hand them out before anybody is dry, as fac2 and ss do, and' \
        "Keel's objects, whose ranks ask for heavier ones before. tree, steal and diffuse of" \
        'its loops, who ask when dry, end where PREMA does.'
    paper_note "mobile, prema: Keel's objects (keel_mpi_objects), by its default and by PREMA's" \
        'policy (KEEL_MPI_BALANCE=prema). All others but' \
        "Keel's loops are stand-ins, written after what the paper says of Charm++ and" \
        'repartitioning; repartition:scotch has its partitions, and those alone, from Scotch.'
    paper_note 'Chosen, as the paper does not tell: 60 s of work on each processor (a light task' \
        'is 6.8 s), objects of 65000 bytes, a message 100 us and 80 ns a byte, T_ctx 20 us, T_poll' \
        '200 us.'
    paper_note 'Repartition: by true weights, in the time of a decision. It loses time where the' \
        'request to stop finds a heavy task just begun, and no more. In the paper it took as' \
        'long as no balancing.'
    paper_note 'Iterative: what a processor measured in the last quarter stands for what it has' \
        'left, which suits heavy tasks that lie together. By objects: measurements are of' \
        'those that are done, so nothing useful moves; that is the figure of the paper, but' \
        'for 4 % that synchronising may have taken there.'
    paper_note 'Seed-based: neighbours on a torus; seeds are moved between tasks only.' \
        'seed:random: each seed goes to a processor drawn by chance.'
    paper_note 'PCDT: what a Delaunay refinement took for each of 32 x 32 squares, one small disc of' \
        'which is much finer than the rest; neighbours in a row make a task. The heaviest square' \
        'is 34 times the mean, so that a job is as long as its heaviest task; in the paper no' \
        'balancing cannot have been that bad, as 19 % were all that could be gained. Tasks send 10' \
        'messages of 4000 bytes to each of 4 neighbours, as chosen.'
}

prema05_r9()
{
    local folder=$1 short=$2 file=$1/gains
    prema05_runs_all "$folder" "$short"
    paper_table 'R9: gain over other policies, 64 processors, 8 tasks each, %'
    paper_compare_head 'over'
    prema05_gain_row 'none, 10 % heavy' 38 "$file" none heavy:10:2 8 'chosen'
    prema05_gain_row 'repartition, 10 % heavy' 40 "$file" repartition heavy:10:2 8 'chosen'
    prema05_gain_row 'iterative, 10 % heavy' 41 "$file" iterative heavy:10:2 8 'chosen'
    prema05_gain_row 'seed-based, 10 % heavy' 20 "$file" seed heavy:10:2 8 'chosen'
    if [ "$short" = 0 ]; then
        prema05_gain_row 'none, 25 % heavy' - "$file" none heavy:25:2 8 'chosen'
        prema05_gain_row 'repartition, 25 % heavy' 39 "$file" repartition heavy:25:2 8 'chosen'
        prema05_gain_row 'none, PCDT, 16 tasks' 19 "$file" none "$PREMA05_PCDT" 16 \
            'weights: measured'
        prema05_pcdt_more "$file"
    fi
    paper_compare_note "Keel's objects with KEEL_MPI_BALANCE=$PREMA05_METHOD" \
        "Keel's objects with nothing set ($PREMA05_DEFAULT)" \
        "$(xargs <<<"$PREMA05_OLD"), of which keel: and $PREMA05_METHOD are Keel's and the others the bench's" \
        "$(xargs <<<"$PREMA05_OWN")"
    paper_seeds_note $(awk '!seen[$1]++ { print $1 }' "$file")
    prema05_conclusions "$file" "$short"
    prema05_bars "$file"
    prema05_bytes_table "$folder"
    prema05_policies "$file" heavy:10:2 'R9: policies, 64 processors, 8 tasks, 10 % heavy'
    [ "$short" = 1 ] || prema05_policies "$file" heavy:25:2 'The same, 25 % twice as heavy'
    prema05_notes
}

# prema05_run FOLDER SHORT
prema05_run()
{
    local PREMA05_OLD=$PREMA05_OLD PREMA05_OWN=$PREMA05_OWN
    local PREMA05_MANY_BYTES=$PREMA05_MANY_BYTES
    if [ "$2" = 1 ]; then
        PREMA05_OLD='none repartition iterative iterative:objects seed prema keel:ss'
        PREMA05_OWN='mobile keel:rate keel:auto' PREMA05_MANY_BYTES=2600000
    elif prema05_has_scotch; then
        PREMA05_OLD+=' repartition:scotch'
    fi
    local parts='r7 r8 r9' part running=() process
    [ "$2" = 0 ] || parts='r7 r9'
    for part in $parts; do # beside each other
        mkdir "$1/$part"
        "prema05_$part" "$1/$part" "$2" >"$1/$part.tables" &
        running+=($!)
    done
    for process in "${running[@]}"; do
        wait "$process"
    done
    for part in $parts; do
        cat "$1/$part.tables"
    done
}
