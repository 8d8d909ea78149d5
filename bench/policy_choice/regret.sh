# What `auto` for rows loses against the best of all policies, chosen for each scene afterwards.
# Sourced from the workspace root, after bench/sim/smpirun.sh; `built` is what Bazel has built.
#
#   seed -> describe -> platform -> wander under every policy -> a line for each -> report

# Fixed choices: {policies} x {w*} x {alpha} x {how often}, whatever moving costs. How often: from one
# exchange of figures to the next, in steps of the program.
regret_grid()
{
    local steps gain w alpha
    echo off
    echo rate-local
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
    SIM_FLAGS="--cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1
        --cfg=smpi/test:$look --cfg=smpi/iprobe:$look" \
        sim_run "$folder/platform.xml" "$folder/hosts" "${platform[0]}" \
        "$built/bench/policy_choice/wander" "$seed" "$@"
}
