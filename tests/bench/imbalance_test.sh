#!/bin/bash
# bench/imbalance runs every schedule on every kernel and under every condition, and prints what it
# says.
source tests/support/tap.sh

imbalance=$(keel_path bench/imbalance)
program=$(keel_path bench/imbalance_dir/program)
load=$(keel_path bench/load_dir/program)
built=${program%/bench/*}
kernels='uniform increasing decreasing random tail mandelbrot triangular spmv barnes-hut quadrature'

# run_imbalance OPTION...: tiny loops; each process has two instances.
run_imbalance()
{
    "$imbalance" --built "$built" --scale 0.01 --instances 2 --repeat 1 --periods 2,1 \
        --threads 2 "$@"
}

# --- the program ---------------------------------------------------------------------------------

is "$("$program" --list | cut -d' ' -f1 | tr '\n' ' ')" "$kernels " 'the kernels are listed'
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

# --- the competing load --------------------------------------------------------------------------

# running PID: and no zombie, which nobody may be there to wait for.
running()
{
    [[ $(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) == [RSD] ]]
}

# within_seconds N COMMAND...
within_seconds()
{
    local left=$(($1 * 20))
    shift
    until "$@"; do
        [ $((left -= 1)) -gt 0 ] || return 1
        sleep 0.05
    done
}

processor=$(OMP_NUM_THREADS=2 OMP_PROC_BIND=true "$program" --processor 1)
"$load" --core "$processor" --period 0.002 >/dev/null &
pid=$!
on_its_processor()
{
    [ "$(sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$pid/status")" = "$processor" ]
}
ok 'a load keeps to its processor' within_seconds "$tap_patience_s" on_its_processor
ok 'and runs' running $pid
kill $pid
wait $pid 2>/dev/null

{
    PID_FILE=$TEST_TMPDIR/pid bash -c '"$0" "$@" & echo $! >"$PID_FILE"; sleep 0.2; kill -KILL $$' \
        "$load" --core "$processor" --period 0.01 --with-parent
} >/dev/null 2>&1
pid=$(<"$TEST_TMPDIR/pid")
gone()
{
    ! running "$pid"
}
ok 'a load ends with its parent' within_seconds "$tap_patience_s" gone

# --- the script ----------------------------------------------------------------------------------

rows=$(OMP_DISPLAY_ENV=true run_imbalance --csv --peers libgomp --conditions 'equal slow5' 2>"$TEST_TMPDIR/messages")
is $? 0 'the benchmark succeeds'
messages=$(<"$TEST_TMPDIR/messages")
unlike "$messages" 'OPENMP DISPLAY' 'what OMP_ variables the caller has set does not matter'
is "$(head -n 1 <<<"$rows")" 'bench,case,variant,metric,value,unit' 'CSV has its heading'
like "$messages" '^keel: round 1 of 1: slow5, tail \([0-9]+ % after [0-9]+ s\)$' 'away from a terminal, progress comes in lines'
variants=$("$(keel_path keel)" list --names | sed 's/^css$/"css,16"/')
for variant in 'libgomp static' 'libgomp dynamic' 'libgomp guided' $variants; do
    is "$(grep -cF ",$variant,first instance to ideal," <<<"$rows")" 20 "$variant runs on every kernel and under both conditions"
done
for kernel in $kernels; do
    like "$rows" "^imbalance,$kernel; slow5,ss,instances 2\.\.,[0-9.e+-]+,ms\$" "$kernel is timed"
done
unlike "$(tail -n +2 <<<"$rows")" ',(nan|inf|-[0-9.]+),[^,]*$' 'every value is a number'

rows=$(run_imbalance --csv --peers none --schedules 'ss auto' --conditions equal --kernels none --drawn 2 --seed 41 2>/dev/null)
is $? 0 'loops are drawn'
is "$(cut -d, -f2,3 <<<"$rows" | sort -u | tr '\n' ' ')" \
    'case,variant drawn:41; equal,auto drawn:41; equal,ss drawn:42; equal,auto drawn:42; equal,ss ' 'by the seed that is stated'
messages=$(run_imbalance --kernels none 2>&1)
is $? 2 'no loop at all is refused'
like "$messages" '^keel: --kernels none and --drawn 0: there is no loop to run; nothing is run$' 'which is told'

table=$(run_imbalance --peers none --schedules 'ss gss' --kernels 'tail spmv' 2>"$TEST_TMPDIR/messages")
is $? 0 'all conditions succeed'
messages=$(<"$TEST_TMPDIR/messages")
like "$table" '^command: bench/imbalance .*--peers none' 'the command line is printed'
for condition in equal slow5 constant long short over; do
    like "$table" "^spmv, $condition\$" "$condition has its table"
done
like "$table" '^variant +1 \[ms\] +2\.\. \[ms\] +11\.\. \[ms\] +1 /ideal +2\.\./ideal +11\.\./best +imb\. % +all/best$' 'which has its heading'
# A long period of 2 ms, and 0.03 ms for an instance: 67 of them.
is "$(awk 'NF == 9 && $1 ~ /ss$/ && $4 ~ /^[0-9.]+$/' <<<"$table" | wc -l)" 4 'only long periods have more instances than were asked for'

# Without the tools that are not needed to build Keel.
mkdir "$TEST_TMPDIR/bin"
for tool in bash env cut tr sed awk wc nproc getopt mktemp rm dirname mkdir head gcc perl seq true; do
    ln -s "$(type -P $tool)" "$TEST_TMPDIR/bin/$tool"
done
messages=$(PATH=$TEST_TMPDIR/bin run_imbalance --kernels tail --schedules ss --conditions equal 2>&1 >"$TEST_TMPDIR/table")
is $? 0 'it succeeds without clang'
like "$messages" '^keel: no libomp to compare with' 'missing libomp is told'

# The same program under LLVM's runtime.
if command -v clang-19 >/dev/null && [ -e /usr/lib/llvm-19/lib/libomp.so ]; then
    table=$(run_imbalance --kernels tail --schedules ss --conditions equal --peers libomp 2>/dev/null)
    for schedule in static dynamic guided trapezoidal static_steal; do
        like "$table" "^libomp $schedule +[0-9.]+ " "libomp's $schedule runs"
    done
else
    skip "libomp's schedules run" 'clang-19 or libomp-19-dev is missing'
fi

messages=$(run_imbalance --quick --kernels tail --conditions short 2>&1 >"$TEST_TMPDIR/table")
unlike "$(<"$TEST_TMPDIR/table")" '^(libomp|tss) ' '--quick has few schedules'
like "$(<"$TEST_TMPDIR/table")" '^awf-c ' 'awf-c among them'

# --- wrong use -----------------------------------------------------------------------------------

# refused PATTERN OPTION...: ends with 2 and a message.
refused()
{
    local pattern=$1 messages
    shift
    messages=$(run_imbalance "$@" 2>&1)
    is $? 2 "$*: ends the benchmark"
    like "$messages" "^keel: $pattern" 'and is named'
}
refused "--scale '0\.0' is not a number" --scale 0.0
refused "--periods '5' is not two whole numbers" --periods 5
refused "--kernels 'mandel' is not one of uniform increasing" --kernels 'tail mandel'
refused "--schedules: 'fac3': unknown schedule 'fac3', nearest is" --schedules 'ss fac3'
refused "--conditions 'slow' is not one of equal slow5 constant long short over" --conditions slow
refused "--peers 'icc' is not one of libgomp libomp none" --peers icc
refused "--threads 1: conditions but equal and over" --threads 1
done_testing
