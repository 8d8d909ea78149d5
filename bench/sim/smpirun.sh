# Programs under SimGrid's smpirun, and the simulated experiments with their platforms. Sourced from the workspace root.
#
#   sim_platform FOLDER ... -> FOLDER/platform.xml, FOLDER/hosts -> sim_run ... PROGRAM

# sim_host NUMBER SPEED LATENCY BANDWIDTH: prints a host and its own link to the others.
sim_host()
{
    printf '    <host id="n%s" speed="%sf"/>\n' "$1" "$2"
    printf '    <link id="up%s" bandwidth="%s" latency="%s"/>\n' "$1" "$4" "$3"
    printf '    <link id="down%s" bandwidth="%s" latency="%s"/>\n' "$1" "$4" "$3"
    printf '    <host_link id="n%s" up="up%s" down="down%s"/>\n' "$1" "$1" "$1"
}

# sim_platform FOLDER LATENCY BANDWIDTH SPEED...: describes one host per SPEED (floating-point
# operations per second, as 2.5G), each with a link of LATENCY (as 20us) and BANDWIDTH (as 125MBps)
# to a switch that never is the bottleneck.
sim_platform()
{
    local folder=$1 latency=$2 bandwidth=$3 speed number=0
    shift 3
    {
        printf "<?xml version='1.0'?>\n"
        printf '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        printf '<platform version="4.1">\n  <zone id="all" routing="Cluster">\n'
        for speed; do
            sim_host "$number" "$speed" "$latency" "$bandwidth"
            number=$((number + 1))
        done
        printf '    <router id="switch"/>\n  </zone>\n</platform>\n'
    } >"$folder/platform.xml"
    seq -f 'n%.0f' 0 $(($# - 1)) >"$folder/hosts"
}

# sim_run PLATFORM HOSTS RANKS PROGRAM [ARGUMENT...]: runs rank after rank on the hosts in the file
# HOSTS, for SIM_SECONDS (600) at most, with a message if that ends it. Only messages, sleeps
# and smpi_execute_flops() take simulated time. Looking for a message without success takes 1 us; SMPI's
# default is 100, and more each time. Small messages are sent at once, not when they are received.
# SIM_FLAGS: more options of smpirun, separated by blanks. Returns its status, 124 out of time.
sim_run()
{
    local status=0
    timeout --kill-after=10 "${SIM_SECONDS:-600}" smpirun -platform "$1" -hostfile "$2" -np "$3" \
        --cfg=smpi/simulate-computation:no --cfg=smpi/grow-injected-times:no \
        --cfg=smpi/test:1e-6 --cfg=smpi/iprobe:1e-6 \
        --cfg=smpi/allgather:bruck --cfg=smpi/async-small-thresh:65536 \
        --log=root.thres:error --log=smpi_mpi.thres:critical ${SIM_FLAGS:-} "${@:4}" </dev/null ||
        status=$?
    [ "$status" != 124 ] ||
        echo "keel: a simulation was ended after ${SIM_SECONDS:-600} s: ${*:4}" >&2
    return "$status"
}

# --- the simulated experiments and their platforms ---

# SIM_FLAGS for many ranks: SMPI's default collective operations take a time in P^2.
MANY_FLAGS='--cfg=smpi/allreduce:redbcast --cfg=smpi/reduce:binomial --cfg=smpi/bcast:binomial_tree --cfg=smpi/barrier:ompi_tree'

# many_speeds RANKS: prints speeds: slowest 125e6, fastest 1e9; the time of an iteration is spread evenly between
# (minimal standard random numbers, seed 12345).
many_speeds()
{
    awk -v ranks="$1" 'BEGIN {
        state = 12345
        for (i = 0; i < ranks; i++) {
            state = state * 16807 % 2147483647
            part = i == 0 ? 0 : i == 1 ? 1 : state / 2147483647
            printf "%.0f\n", 1e9 / (1 + 7 * part)
        }
    }'
}

# scale_run FOLDER KNOWN RANKS PROGRAM ARGUMENT...: 1 Gbit/s, 50 us from host to host. KNOWN: 1: ranks know the speeds.
scale_run()
{
    local folder=$1 known=$2 ranks=$3 speeds
    shift 3
    mapfile -t speeds < <(many_speeds "$ranks")
    sim_platform "$folder" 25us 125MBps "${speeds[@]}"
    unset KEEL_MPI_WEIGHTS
    [ "$known" = 0 ] || export KEEL_MPI_WEIGHTS=$(printf '%s\n' "${speeds[@]}" | awk '{ printf "%s%.6f", (NR > 1 ? "," : ""), $1 / 1e6 }')
    sim_run "$folder/platform.xml" "$folder/hosts" "$ranks" "$@"
}

# sim_load_of HOST TEXT: adds a load that competes with the ranks of a host of $folder/platform.xml: lines of SimGrid.
sim_load_of()
{
    printf '%s' "$2" >"$folder/load"
    sed -i "s,<host id=\"$1\" ,&speed_file=\"load\" ," "$folder/platform.xml"
}

# sim_load FOLDER PERIOD ON START: adds one on the first host that wants the processor for ON of each PERIOD seconds and
# gets half of it, beginning with that (START: on) or with rest (off).
sim_load()
{
    local folder=$1 period=$2 on=$3 text
    if [ "$4" = on ]; then
        printf -v text 'PERIODICITY %s\n0 0.5\n%s 1\n' "$period" "$on"
    else
        printf -v text 'PERIODICITY %s\n0 1\n%s 0.5\n' "$period" "$((period - on))"
    fi
    sim_load_of n0 "$text"
}

# load_time TIME PERIOD ON START: prints the processor time that the load gets in TIME seconds.
load_time()
{
    awk -v time="$1" -v period="$2" -v on="$3" -v start="$4" 'BEGIN {
        if (period == 0) { print 0; exit }
        full = int(time / period); rest = time - full * period
        if (start == "off") rest = rest > period - on ? rest - (period - on) : 0
        print 0.5 * (full * on + (rest < on ? rest : on))
    }'
}

# Programs of the experiments S15 (PAPERS.md) as arguments of `rows`, with SOR in red and black, and their time on one worker: a point of SOR
# 10 us, a multiplication and addition 2 us, on hosts of 1e6 operations a second. The paper does not
# say; its machines (25 MHz) took about that.
SWEEPS_1000='sor 1000 40 10' SWEEPS_2000='sor 2000 10 10' PRODUCT_500='mm 500 50 2'
alone_s()
{
    case $1 in
    sor | gs) awk -v size="$2" -v times="$3" -v flops="$4" 'BEGIN { print size * size * times * flops / 1e6 }' ;;
    mm) awk -v size="$2" -v flops="$4" 'BEGIN { print size * size * size * flops / 1e6 }' ;;
    esac
}

# rows_run FOLDER WORKERS BANDWIDTH PERIOD ON START PROGRAM ARGUMENT...: runs it; PERIOD 0: no load. 500 us from
# host to host.
rows_run()
{
    local folder=$1 workers=$2 bandwidth=$3 speeds
    mapfile -t speeds < <(yes 1M | head -n "$workers")
    sim_platform "$folder" 250us "$bandwidth" "${speeds[@]}"
    [ "$4" = 0 ] || sim_load "$folder" "$4" "$5" "$6"
    sim_run "$folder/platform.xml" "$folder/hosts" "$workers" "${@:7}"
}

# --- the experiments, PAPERS.md S15 ---

# efficiency SECONDS_ALONE WORKERS TIME PERIOD ON START: prints it (S1)
efficiency()
{
    awk -v alone="$1" -v workers="$2" -v time="$3" -v taken="$(load_time "${@:3}")" \
        'BEGIN { printf "%.4f", alone / (workers * time - taken) }'
}

# oscillation_case FOLDER ROWS POLICY WORKERS BANDWIDTH PERIOD ON START PROGRAM...: prints a line
#
#     program size workers period start : efficiency alone and dedicated, time without balancing and
#     with it, their ratio, efficiency, movements, rows moved, whether each row was computed as often
#     as necessary
oscillation_case()
{
    local folder=$1 rows=$2 policy=$3 workers=$4 bandwidth=$5 load=("${@:6:3}") program=("${@:9}")
    local alone dedicated none balanced
    alone=$(alone_s "${program[@]}")
    read -r _ _ _ dedicated _ < <(KEEL_MPI_BALANCE=off \
        rows_run "$folder" "$workers" "$bandwidth" 0 0 on "$rows" "${program[@]}")
    read -r _ _ _ none _ < <(KEEL_MPI_BALANCE=off \
        rows_run "$folder" "$workers" "$bandwidth" "${load[@]}" "$rows" "${program[@]}")
    read -r _ _ _ balanced _ movements moved _ _ _ fine < <(KEEL_MPI_BALANCE=$policy \
        rows_run "$folder" "$workers" "$bandwidth" "${load[@]}" "$rows" "${program[@]}")
    printf '%s %s %s %s %s %s %.2f %.2f %.3f %s %s %s %s\n' "${program[0]}" "${program[1]}" \
        "$workers" "${load[0]}" "${load[2]}" \
        "$(efficiency "$alone" "$workers" "$dedicated" 0 0 on)" "$none" "$balanced" \
        "$(awk -v a="$balanced" -v b="$none" 'BEGIN { print a / b }')" \
        "$(efficiency "$alone" "$workers" "$balanced" "${load[@]}")" "$movements" "$moved" "$fine"
}

# oscillation_cases FOLDER ROWS POLICY BANDWIDTH START: runs all programs, 2 to 16 workers, both periods.
oscillation_cases()
{
    local program workers load
    for program in "$SWEEPS_1000" "$SWEEPS_2000" "$PRODUCT_500"; do
        for workers in 2 4 8 16; do
            for load in '60 30' '20 10'; do
                # both are split into arguments
                oscillation_case "$1" "$2" "$3" "$workers" "$4" $load "$5" $program
            done
        done
    done
}
