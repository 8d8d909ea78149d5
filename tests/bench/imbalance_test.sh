#!/bin/bash
# bench/imbalance runs every schedule on every kernel and under every condition, and prints what it
# says.
name=imbalance program=imbalance_dir/program
source tests/bench/command.sh
usual=(--scale 0.01 --instances 2 --repeat 1 --periods 2,1 --threads 2) # tiny loops
kernels='uniform increasing decreasing random tail mandelbrot triangular spmv barnes-hut quadrature'

# --- the program ---------------------------------------------------------------------------------

is "$("$program" --list | tr '\n' ' ')" "$kernels " 'the kernels are listed'
lines=$(OMP_NUM_THREADS=3 OMP_SCHEDULE=dynamic "$program" random equal 'libgomp dynamic' 7 5 0.01)
is $? 0 'the program finds its results as they should be'
is "$(cut -f1-6 <<<"$lines")" "$(printf 'random\tequal\tlibgomp dynamic\t3\t7\t%d\n' 1 2 3 4 5)" 'it has a line for each instance'
# An instance's time may be anything; ideals of one process under `equal` are the same.
is "$(cut -f8 <<<"$lines" | sort -u | wc -l)" 1 'where nobody competes, instances have one ideal'

# ideal_ratio CONDITION SCHEDULE THREADS: least time / ideal of some instances.
ideal_ratio()
{
    OMP_NUM_THREADS=$3 OMP_SCHEDULE=$2 "$program" uniform "$1" x 1 9 0.2 |
        awk -F'\t' '{ r = $7 / $8; if (NR == 1 || r < least) least = r } END { print least }'
}

# at_least VALUE LEAST
at_least()
{
    awk -v value="$1" -v least="$2" 'BEGIN { exit !(value >= least) }'
}

# reaches LEAST CONDITION SCHEDULE THREADS: least time / ideal is LEAST at least, in one of some
# processes: other work may slow down all the passes of a process that the ideal follows from.
reaches()
{
    local attempt
    for attempt in {1..20}; do
        ! at_least "$(ideal_ratio "${@:2}")" "$1" || return 0
    done
    return 1
}

ok 'on one thread, the ideal is the time of a pass, and a loop takes as long at least' \
    reaches 0.8 equal static 1

# cpu_s CONDITION: processor time of 3 passes on one thread and 20 loops on two.
cpu_s()
{
    local TIMEFORMAT=%U
    { time OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive OMP_SCHEDULE=static "$program" uniform "$1" x 1 20 2 >/dev/null; } 2>&1
}

# Thread 1 has half of the iterations, 5 times: 3 + 20 x 3 passes of work against 3 + 20; once each, it
# were as much. Other work takes the processor away, and leaves the time that is got for it.
ok 'five times the work is done on a slow thread' at_least "$(cpu_s slow5)" "$(awk "BEGIN { print 1.6 * $(cpu_s equal) }")"
ok 'beside a competitor, the ideal is never over the time' at_least "$(ideal_ratio constant dynamic 2)" 0.999
costs=$(OMP_NUM_THREADS=2 LD_PRELOAD=$(keel_path tests/bench/told_costs.so) "$program" spmv equal x 1 3 0.01 2>&1 >/dev/null)
is "$costs" "$(printf 'told 20 costs\n%.0s' 1 2 3)" 'a library that wants the costs of the iterations is told them before each loop'
messages=$("$program" mandel equal x 1 1 1 2>&1)
is $? 2 'an unknown kernel is refused'
like "$messages" '^usage: program KERNEL' 'with the usage'

# --- the command ---------------------------------------------------------------------------------

OMP_DISPLAY_ENV=true prints_csv --peers libgomp --conditions 'equal slow5'
unlike "$messages" 'OPENMP DISPLAY' 'what OMP_ variables the caller has set does not matter'
like "$messages" '^keel: round 1 of 1: slow5, tail \([0-9]+ % after [0-9]+ s\)$' 'away from a terminal, progress comes in lines'
for variant in 'libgomp static' 'libgomp dynamic' 'libgomp guided' \
    $("$(keel_path keel)" list --names | sed 's/^css$/"css,16"/'); do
    is "$(grep -cF ",$variant,first instance to ideal," <<<"$table")" 20 "$variant runs on every kernel and under both conditions"
done
for kernel in $kernels; do
    like "$table" "^imbalance,$kernel; slow5,ss,instances 2\.\.,[0-9.e+-]+,ms\$" "$kernel is timed"
done

prints_csv --peers none --schedules 'ss auto' --conditions equal --kernels none --drawn 2 --seed 41
is "$(cut -d, -f2,3 <<<"$table" | sort -u | tr '\n' ' ')" \
    'case,variant drawn:41; equal,auto drawn:41; equal,ss drawn:42; equal,auto drawn:42; equal,ss ' 'loops are drawn by the seed that is stated'

succeeds --peers none --schedules 'ss gss' --kernels 'tail spmv'
like "$table" '^command: bench/imbalance .*--peers none' 'the command line is printed'
for condition in equal slow5 constant long short over; do
    like "$table" "^spmv, $condition\$" "$condition has its table"
done
# A long period of 2 ms, and 0.03 ms for an instance: 67 of them.
is "$(awk 'NF == 9 && $1 ~ /ss$/ && $4 ~ /^[0-9.]+$/' <<<"$table" | wc -l)" 4 'only long periods have more instances than were asked for'

succeeds --quick --kernels tail --conditions short
unlike "$table" '^tss ' '--quick has few schedules'
like "$table" '^awf-c ' 'awf-c among them'

refuses '--kernels none and --drawn 0: there is no loop to run; nothing is run$' --kernels none
refuses "--scale '0\.0' is not a number" --scale 0.0
refuses "--periods '5' is not two whole numbers" --periods 5
refuses "--kernels 'mandel' is not one of uniform increasing" --kernels 'tail mandel'
refuses "--schedules: 'fac3': unknown schedule 'fac3', nearest is" --schedules 'ss fac3'
refuses "--conditions 'slow' is not one of equal slow5 constant long short over" --conditions slow
refuses "--peers 'icc' is not one of libgomp none" --peers icc
refuses "--threads 1: conditions but equal and over" --threads 1
done_testing
