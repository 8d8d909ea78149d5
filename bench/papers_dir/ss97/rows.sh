# Programs on rows that move beside a load, simulated and by the model. Sourced by ss97.sh.

# ss97_turns_load PERIOD ON: a load on the first host, as sim_load's, but in turns of a quantum.
ss97_turns_load()
{
    awk -v period="$1" -v on="$2" -v quantum="$SS97_QUANTUM" 'BEGIN {
        print "PERIODICITY", period
        for (i = 0; 2 * i * quantum < on - quantum / 2; i++) {
            printf "%.3f 0.001\n%.3f 1\n", 2 * i * quantum, (2 * i + 1) * quantum
        }
    }' >"$ss97_folder/load"
    sed -i 's,<host id="n0" ,&speed_file="load" ,' "$ss97_folder/platform.xml"
}

# ss97_simulate POLICY WORKERS KIND PERIOD ON PROGRAM...: the line of bench/sim/rows.
ss97_simulate()
{
    sim_platform "$ss97_folder" 250us "${SS97_BANDWIDTH}MBps" $(yes 1M | head -n "$2")
    case $3 in
    half) sim_load "$ss97_folder" "$4" "$5" on ;;
    half@*) ss97_drawn_load "${3#half@}" "$4" "$5" ;;
    turns) ss97_turns_load "$4" "$5" ;;
    esac
    KEEL_MPI_BALANCE=$1 sim_run "$ss97_folder/platform.xml" "$ss97_folder/hosts" "$2" \
        "$built/bench/sim/rows" "${@:6}"
}

# ss97_draw SEED PERIOD: where in its period a load is when the program begins, s, and how long its
# period is: up to 5 % more or less than it is meant to be.
ss97_draw()
{
    awk -v state="$1" -v period="$2" '
        function draw() { state = state * 16807 % 2147483647; return state / 2147483647 }
        BEGIN {
            for (i = 0; i < 10; i++) draw()
            period *= 0.95 + 0.1 * draw()
            printf "%.3f %.3f\n", period * draw(), period
        }'
}

# ss97_drawn_load SEED PERIOD ON: a load on the first host that gets half of it, as drawn.
ss97_drawn_load()
{
    local at period
    read -r at period < <(ss97_draw "$1" "$2")
    awk -v at="$at" -v period="$period" -v part="$(ss97_calculate "$3 / $2")" 'BEGIN {
        on = part * period
        printf "PERIODICITY %.3f\n", period
        if (at < on) printf "0 0.5\n%.3f 1\n%.3f 0.5\n", on - at, period - at
        else printf "0 1\n%.3f 0.5\n%.3f 1\n", period - at, period - at + on
    }' >"$ss97_folder/load"
    sed -i 's,<host id="n0" ,&speed_file="load" ,' "$ss97_folder/platform.xml"
}

# ss97_rows POLICY WORKERS none|half|half@SEED|turns PERIOD ON PROGRAM...: "TIME MOVEMENTS ROWS" of a program
# beside a load that begins with ON, and either gets half of the first machine or takes turns of a
# quantum with the program; half@SEED begins at a drawn time instead. Each case is simulated once. Fails where rows are not complete.
ss97_rows()
{
    local time exchanges movements moved fine case=$ss97_folder/case-$SS97_BANDWIDTH-$*
    case=${case// /_}
    [ -e "$case" ] || figures_of "$(ss97_simulate "$@")" >"$case"
    read -r time exchanges movements moved fine <"$case"
    [ "$fine" = once ] || {
        echo "keel: ss97: rows were not computed as often as they had to be: $*" >&2
        return 1
    }
    printf '%.2f %s %s\n' "$time" "$movements" "$moved"
}

# ss97_efficiency WORKERS PERIOD ON TIME PROGRAM...: by S1; PERIOD 0: without load.
ss97_efficiency()
{
    efficiency "$(alone_s "${@:5}")" "$1" "$4" "$2" "$3" on
}

# ss97_dedicated WORKERS PROGRAM...: efficiency without load and balancing.
ss97_dedicated()
{
    local time
    read -r time _ < <(ss97_rows off "$1" none 0 0 "${@:2}")
    ss97_efficiency "$1" 0 0 "$time" "${@:2}"
}

# ss97_model WORKERS PERIOD ON HOW PROGRAM...: "TIME EFFICIENCY" by the model of an oscillating
# load; HOW: words NAME=VALUE of `model oscillation`, about the balancing.
ss97_model()
{
    local numbers=$6
    [ "$5" != mm ] || numbers=$((2 * $6)) # two matrices move
    "$built/bench/papers_dir/ss97/model" oscillation workers="$1" period="$2" on="$3" \
        dedicated="$(ss97_dedicated "$1" "${@:5}")" sequential="$(alone_s "${@:5}")" \
        quantum="$SS97_QUANTUM" rows="$6" row_bytes=$((8 * numbers)) alpha=1e-3 \
        beta="$(ss97_calculate "1e-6 / $SS97_BANDWIDTH")" $4
}

# ss97_how WORKERS PERIOD HOOKS: what the model is told of balancing that looks every PERIOD s.
# First figures come with the first hook, and decisions HOOKS later: 2 if they go to the master and
# back while computing goes on. Hooks are 0.5 s of sequential time apart: on the loaded machine,
# which has an equal share and half of its processor, 1 s over the workers.
ss97_how()
{
    echo "interact=$2 begin=$(ss97_calculate "(1 + $3) / $1")"
}

# ss97_paper_how WORKERS: of the paper's method. A rate counts as followed when the filtered one is
# as near as the threshold.
ss97_paper_how()
{
    echo "$(ss97_how "$1" 1 2) filtered=1 pipelined=1 near=0.1 gain=0.1"
}
