# The simulated experiments and their platforms. Sourced from the workspace root, after smpirun.sh.

# Seconds that each of the 16 machines of the experiment K8 (PAPERS.md) needs for the whole picture.
# The paper gives their kinds, the range of 250 to 2000 s and that two of them take 692 and 693 s; the
# others are ours: a SPARCstation 20, three SPARCstation 5, two SPARCstation 10, two DECstation 5000/25,
# four SPARCstation IPX, two DECstation 2/3100, two SPARCstation IPC.
K8_SECONDS='250 400 405 410 330 340 900 910 688 692 693 700 1400 1420 1950 2000'

# k8_speeds: of these machines, operations a second; the picture is 1e9 operations.
k8_speeds()
{
    tr ' ' '\n' <<<"$K8_SECONDS" | awk '{ printf "%.0f\n", 1e9 / $1 }'
}

# SIM_FLAGS for many ranks: the collective operations that SMPI has by itself take a time in P^2.
MANY_FLAGS='--cfg=smpi/allreduce:redbcast --cfg=smpi/reduce:binomial --cfg=smpi/bcast:binomial_tree --cfg=smpi/barrier:ompi_tree'

# many_speeds RANKS: slowest 125e6, fastest 1e9; the time of an iteration is spread evenly between
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

# weights_of SPEED...: as KEEL_MPI_WEIGHTS has them.
weights_of()
{
    printf '%s\n' "$@" | awk '{ printf "%s%.6f", (NR > 1 ? "," : ""), $1 / 1e6 }'
}

# scale_run FOLDER KNOWN RANKS PROGRAM ARGUMENT...: 1 Gbit/s, 50 us from host to host.
scale_run()
{
    local folder=$1 known=$2 ranks=$3 speeds
    shift 3
    mapfile -t speeds < <(many_speeds "$ranks")
    sim_platform "$folder" 25us 125MBps "${speeds[@]}"
    sim_known "$known" "${speeds[@]}"
    sim_run "$folder/platform.xml" "$folder/hosts" "$ranks" "$@"
}

# sim_load_of HOST TEXT: a load that competes with the ranks of a host of $folder/platform.xml: lines of SimGrid.
sim_load_of()
{
    printf '%s' "$2" >"$folder/load"
    sed -i "s,<host id=\"$1\" ,&speed_file=\"load\" ," "$folder/platform.xml"
}

# sim_load FOLDER PERIOD ON START: on the first host, one that wants the processor for ON of each PERIOD seconds and gets
# half of it, beginning with that (START: on) or with rest (off).
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

# load_time TIME PERIOD ON START: of so many seconds, the processor time that the load gets.
load_time()
{
    awk -v time="$1" -v period="$2" -v on="$3" -v start="$4" 'BEGIN {
        if (period == 0) { print 0; exit }
        full = int(time / period); rest = time - full * period
        if (start == "off") rest = rest > period - on ? rest - (period - on) : 0
        print 0.5 * (full * on + (rest < on ? rest : on))
    }'
}

# Programs of the experiments S15 (PAPERS.md) as `rows` takes them, with SOR in red and black, and what they take one worker: a point of SOR
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

# rows_run FOLDER WORKERS BANDWIDTH PERIOD ON START PROGRAM ARGUMENT...: PERIOD 0: no load. 500 us from
# host to host.
rows_run()
{
    local folder=$1 workers=$2 bandwidth=$3 speeds
    mapfile -t speeds < <(yes 1M | head -n "$workers")
    sim_platform "$folder" 250us "$bandwidth" "${speeds[@]}"
    [ "$4" = 0 ] || sim_load "$folder" "$4" "$5" "$6"
    sim_run "$folder/platform.xml" "$folder/hosts" "$workers" "${@:7}"
}

# sim_known KNOWN SPEED...
sim_known()
{
    if [ "$1" = 1 ]; then
        export KEEL_MPI_WEIGHTS=$(weights_of "${@:2}")
    else
        unset KEEL_MPI_WEIGHTS
    fi
}
