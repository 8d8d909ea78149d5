# Keel's model of the N-body program beside its simulation with Keel's rows (PAPERS.md F10), and what
# the model would choose. Sourced by fg95.sh.

# fg95_ask FOLDER HOSTS <RULES: the model's speed-ups.
fg95_ask()
{
    local powers
    mapfile -t powers < <(fg95_powers "$2")
    "$built/bench/papers_dir/fg95/model" "$1/census" "$FG95_TASK" "$(fg95_sort "$2")" "$FG95_BYTES" \
        "$FG95_STARTUP" "$FG95_BANDWIDTH" "${powers[@]}" | awk '{ printf "%.3f\n", $1 }'
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

fg95_model()
{
    local folder=$1 hosts none random alpha wr diffusion wd redistribution wc ideal
    paper_table "F10: Keel's model beside the simulation, with Keel's rows (neighbours: a line)"
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
    paper_note 'Stars of seed 1; random: the mean of three seeds (model: of 16). Balancing' \
        'is that of' \
        "Keel's rows: all tell all how many tasks they have, and agree where rows move."
    paper_conclusion "$(fg95_worst "$folder") <= 20" 'the model is within 20 % of the measurement' \
        "Here it is up to $(fg95_worst "$folder") % off."
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
        '0.7, as too many tasks for a neighbour by chance cost it its balance.'
}
