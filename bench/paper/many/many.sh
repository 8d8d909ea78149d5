# Policies that claim to scale, on 256, 1024 and 4096 simulated machines whose speeds differ by up to
# eight times: messages of a rank, time over the ideal, time to decide. Part of bench/papers.

# many_loop FOLDER RANKS SCHEDULE KNOWN ITERATIONS: a shared loop of so many iterations of about 10 ms
# for each rank, speeds known (1) or not (0). Fields: ranks, time over ideal, messages of a rank, most of any, once.
many_loop()
{
    scale_run "$1" "$4" "$2" "$built/bench/sim/scale" "$5" 1e7 even "$3" | awk -v instance="${3#*\*}" '
        $1 ~ /^[0-9]+$/ && ($4 == instance || instance !~ /^[0-9]+$/) { print $1, $6, $10, $11, $12 }'
}

# many_rows FOLDER RANKS HOW POLICY: 64 rows for each rank, 16 phases.
many_rows()
{
    local speeds
    mapfile -t speeds < <(many_speeds "$2")
    sim_platform "$1" 25us 125MBps "${speeds[@]}"
    KEEL_MPI_BALANCE=$4 sim_run "$1/platform.xml" "$1/hosts" "$2" \
        "$built/bench/paper/many/many_rows" "$3" 64 256 1e6 16
}

many_loops_table()
{
    local ranks schedule line
    paper_table 'Shared loops of many ranks, speeds known, 50 iterations for each rank'
    printf '%-20s %6s %9s %13s %12s\n' policy ranks 'time' 'messages/rank' 'most of any'
    for schedule in tree 'rate*2'; do
        for ranks in $2; do
            line=$(many_loop "$1" "$ranks" "$schedule" 1 50)
            read -r _ ratio mean most once <<<"$line"
            [ "$once" = once ]
            printf '%-20s %6d %9s %13s %12s\n' "$schedule" "$ranks" "$ratio" "$mean" "$most"
        done
    done
    paper_note 'Time over the ideal (all work by all speeds). rate*2: the second instance, which knows' \
        'the speeds from the first. Messages are letters; the end takes ceil(log2 P) more of each rank.'
}

many_unknown_table()
{
    local ranks schedule line
    paper_table 'Shared loops of many ranks, nothing known, 200 iterations for each rank'
    printf '%-20s %6s %9s %13s %12s\n' policy ranks 'time' 'messages/rank' 'most of any'
    for schedule in tree steal diffuse; do
        for ranks in $2; do
            [ "$ranks" -le 1024 ] || continue
            line=$(many_loop "$1" "$ranks" "$schedule" 0 200)
            read -r _ ratio mean most once <<<"$line"
            [ "$once" = once ]
            printf '%-20s %6d %9s %13s %12s\n' "$schedule" "$ranks" "$ratio" "$mean" "$most"
        done
    done
    paper_note 'Who has asked in vain waits at its lifelines (PAPERS.md L1) and sends nothing meanwhile.'
}

# Loop schedules by messages: the rank that has the counter answers between iterations only.
many_two_table()
{
    local speeds loop
    paper_table 'Two machines of speed 1:3, rank 0 has the counter: time over the ideal'
    printf '%-12s %14s %9s %9s %9s\n' speeds iterations ss af fac2
    for speeds in '1e9 3e9' '3e9 1e9'; do
        sim_platform "$1" 25us 125MBps $speeds
        for loop in '200 3e6' '20 6e7'; do
            printf '%-12s %14s %9s %9s %9s\n' "${speeds/ /,}" "$((2 * ${loop% *}))" \
                $(unset KEEL_MPI_WEIGHTS && sim_run "$1/platform.xml" "$1/hosts" 2 \
                    "$built/bench/sim/scale" $loop even ss af fac2 | awk '$12 == "once" { print $6 }')
        done
    done
    paper_note '400 iterations of 3 ms on the slower machine, and 40 of 60 ms.'
}

# many_has GIGABYTES: of memory that is free.
many_has()
{
    awk -v wanted="$1" '$1 == "MemAvailable:" { exit !($2 >= 1e6 * wanted) }' /proc/meminfo
}

many_rows_table()
{
    local ranks policy line
    paper_table 'Rows of many ranks, 64 for each rank, 16 phases; equal shares at first'
    printf '%-20s %6s %9s %9s %9s %12s %12s\n' policy ranks time 'last' movements 'exchange ms' 'moving ms'
    for policy in off auto tree; do
        for ranks in $2; do
            [ "$ranks" -le 1024 ] || many_has 10 || continue
            line=$(many_rows "$1" "$ranks" any "$policy")
            read -r _ ratio last _ movements _ exchange moving once <<<"$line"
            [ "$once" = once ]
            printf '%-20s %6d %9s %9s %9s %12s %12s\n' "$policy" "$ranks" "$ratio" "$last" "$movements" \
                "$(awk "BEGIN { printf \"%.3f\", 1e3 * $exchange }")" \
                "$(awk "BEGIN { printf \"%.3f\", 1e3 * $moving }")"
        done
    done
    paper_note 'Time over the ideal, of all phases and of the last four; a slow rank has about 16 rows in' \
        'the end, so whole rows alone make 3 %. Exchange: of figures and decisions each time, the most of' \
        'any rank, in simulated time; up to 256 ranks each hears figures of all, by ceil(log2 P) messages,' \
        'from 257 on rank 0 does, and decides. 4096 are simulated where 10 GB of memory are free.'
}

many_decisions_table()
{
    local ranks
    paper_table "Deciding: median processor time on this machine, us"
    printf '%6s %12s %12s %12s %12s\n' ranks 'tree links' 'rate' 'tree' 'auto'
    for ranks in $1; do
        printf '%6d %12s %12s %12s %12s\n' "$ranks" \
            $("$built/bench/paper/many/decisions" "$ranks" | awk '{ print $2 }')
    done
    paper_note 'tree links: whom a rank asks in a shared loop, once for each change of speeds. rate, tree:' \
        'a decision on rows by one rule, at most one in ten quanta (40 ms). auto: one by rehearsal.'
}

# many_run FOLDER SHORT
many_run()
{
    local loops='256 1024 4096' rows='256 1024 4096'
    if [ "$2" = 1 ]; then
        loops=256 rows=256
    fi
    local -x SIM_FLAGS=$MANY_FLAGS
    many_loops_table "$1" "$loops"
    many_unknown_table "$1" "64 $loops"
    many_two_table "$1"
    many_rows_table "$1" "$rows"
    many_decisions_table '256 1024 4096'
}
