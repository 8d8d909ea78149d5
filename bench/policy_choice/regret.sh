# What `auto` for rows loses against the best of all policies, chosen for each scene afterwards.
# Sourced from the workspace root, after bench/sim/smpirun.sh; `built` is what Bazel has built.
#
#   seed -> describe -> platform -> wander under every policy -> a line for each -> report

# Fixed choices: {policies} x {w*} x {alpha} x {how often}, whatever moving costs. How often: from
# one exchange of figures to the next, in steps of the program.
regret_grid()
{
    local steps gain w alpha
    echo off
    for steps in 1 4; do
        for gain in 0 0.1; do echo "rate-local:gain=$gain,period=@$steps,greatly=inf"; done
        echo "tree:period=@$steps,greatly=inf"
        for w in 1.0 1.1 1.3; do echo "diffusion:w=$w,period=@$steps,greatly=inf"; done
        for w in 1.1 1.3; do echo "redistribute:w=$w,period=@$steps,greatly=inf"; done
        for alpha in 0.5 0.9; do
            echo "random:w=1.1,alpha=$alpha,period=@$steps,greatly=inf"
        done
    done
    echo "rate-local:gain=0,period=@16,greatly=inf"
}

# regret_scene FOLDER SEED POLICY...: what wander prints; FOLDER/words: what the scene is like.
regret_scene()
{
    local folder=$1 seed=$2 platform look
    shift 2
    "$built/bench/policy_choice/describe" "$seed" >"$folder/scene"
    read -ra platform <"$folder/scene"
    tail -n 1 "$folder/scene" >"$folder/words"
    sim_platform "$folder" "${platform[@]:1}"
    look=$(awk -v latency="${platform[1]%s}" 'BEGIN { print latency / 2 }')
    SIM_SECONDS=7200 SIM_FLAGS="--cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1
        --cfg=smpi/test:$look --cfg=smpi/iprobe:$look" \
        sim_run "$folder/platform.xml" "$folder/hosts" "${platform[0]}" \
        "$built/bench/policy_choice/wander" "$seed" "$@"
}

# regret_line WORDS <LINES: one scene in words, and how it went.
regret_line()
{
    awk -v words="$1" '
        $2 == "auto" { auto = $3; next }
        best == 0 || $3 < best { best = $3; which = $2 }
        END {
            printf "%7d  %+6.1f %%  auto %.3f s, ideal %.3f s, best %.3f s by %s; %s\n", $1,
                100 * (auto / best - 1), auto, $4, best, which, words
        }'
}

# regret_table <LINES: of all scenes; of auto and of each fixed choice, the best ones in the mean
# first. A run in which a region was not computed once in every step ends it all.
regret_table()
{
    awk '
        $NF != "once" { print "wrong: " $0; wrong = 1 }
        { time[$1, $2] = $3; scene[$1]; policy[$2] }
        $2 != "auto" && (!($1 in best) || $3 < best[$1]) { best[$1] = $3 }
        END {
            if (wrong) exit 1
            for (p in policy)
                for (s in scene) printf "%s %.9f\n", p, time[s, p] / best[s] - 1
        }' | sort -k1,1 -k2,2n | awk '
        function finish() {
            if (n == 0) return
            at = 1 + .95 * (n - 1); low = int(at)
            high = value[low] + (at - low) * ((low < n ? value[low + 1] : value[n]) - value[low])
            printf "%-48s %8.2f %8.2f %8.2f %8.2f\n", name, 100 * sum / n,
                100 * value[int((n + 1) / 2)], 100 * high, 100 * value[n]
        }
        $1 != name { finish(); name = $1; n = 0; sum = 0 }
        { value[++n] = $2; sum += $2 }
        END { finish() }' | sort -s -k2,2n | awk '
        BEGIN {
            printf "\n%-48s %8s %8s %8s %8s\n", "regret, percent", "mean", "median", "95 %", "worst"
        }
        $1 == "auto" || $1 == "off" || ++others <= 6'
}
