#!/bin/bash
# bench/imbalance: its program, the command, and what it prints; and what all reports share.
source tests/bench/bench_command.sh

# --- the command: bench/imbalance runs every schedule on every kernel and under every condition, and prints what it
# says ---

bench imbalance imbalance_dir/program
usual=(--scale 0.01 --instances 2 --repeat 1 --periods 2,1 --threads 2) # tiny loops
kernels='uniform increasing decreasing random tail mandelbrot triangular spmv'

# --- the program ---------------------------------------------------------------------------------

is "$("$program" --list | tr '\n' ' ')" "$kernels " 'the kernels are listed'
lines=$(OMP_NUM_THREADS=3 OMP_SCHEDULE=dynamic "$program" random equal 'libgomp dynamic' 7 5 0.01)
is $? 0 'the program finds its results as they should be'
is "$(cut -f1-6 <<<"$lines")" "$(printf 'random\tequal\tlibgomp dynamic\t3\t7\t%d\n' 1 2 3 4 5)" 'it has a line for each instance'
# An instance's time may be anything; ideals of one process under `equal` are the same.
is "$(cut -f8 <<<"$lines" | sort -u | wc -l)" 1 'without competing loads, instances have one ideal'

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

# In place of libkeel.so: writes how many costs it gets.
gcc -shared -fPIC -o "$TEST_TMPDIR/told_costs.so" -xc - <<'END'
#include <math.h>
#include <stddef.h>
#include <stdio.h>

int keel_set_costs(const double *costs, size_t count);

int keel_set_costs(const double *costs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(costs[i]) || costs[i] < 0) {
            fprintf(stderr, "cost %zu is %g\n", i, costs[i]);
        }
    }
    fprintf(stderr, "given %zu costs\n", count);
    return 0;
}
END
costs=$(OMP_NUM_THREADS=2 LD_PRELOAD=$TEST_TMPDIR/told_costs.so "$program" spmv equal x 1 3 0.01 2>&1 >/dev/null)
is "$costs" "$(printf 'given 20 costs\n%.0s' 1 2 3)" 'a library that wants the costs of the iterations gets them before each loop'

messages=$("$program" mandel equal x 1 1 1 2>&1)
is $? 2 'an unknown kernel is refused'
like "$messages" '^usage: program KERNEL' 'with the usage'

# --- the command ---------------------------------------------------------------------------------

# row TABLE TITLE VARIANT: the row of the table below that title, single blanks between its cells.
row()
{
    awk -v title="$2" -v variant="$3" '$0 == title { inside = 1 } $0 == "" { inside = 0 }
        inside && index($0, variant " ") == 1 { $1 = $1; print }' <<<"$1"
}
summary='All kernels: geometric mean of time / ideal, from the second instance on'
regret='from the third instance on'

OMP_DISPLAY_ENV=true succeeds --instances 3 --peers libgomp --conditions 'equal slow5'
unlike "$messages" 'OPENMP DISPLAY' 'what OMP_ variables the caller has set does not matter'
like "$messages" '^keel: round 1 of 1: slow5, tail \([0-9]+ % after [0-9]+ s\)$' 'away from a terminal, progress comes in lines'
for variant in 'libgomp static' 'libgomp dynamic' 'libgomp guided' \
    $("$(keel_path keel)" list --names | sed 's/^css$/css,16/'); do
    like "$(row "$table" "$summary" "$variant")" "^$variant( [0-9.]+){2}\$" "$variant runs on every kernel and under both conditions"
    like "$(row "$table" "$regret" "$variant")" "^$variant( [0-9.]+){2} (${kernels// /|})\$" "$variant is compared with the best"
done

succeeds --peers none --schedules 'ss auto' --conditions equal --kernels none --drawn 2 --seed 41
is "$(grep -oE 'equal, drawn:.* \(' <<<"$messages" | tr '\n' ' ')" 'equal, drawn:41 ( equal, drawn:42 ( ' 'loops are drawn by the seed that is stated'

succeeds --peers none --schedules 'ss gss' --kernels 'tail spmv'
like "$table" '^command: bench/imbalance .*--peers none' 'the command line is printed'
like "$(row "$table" "$summary" variant)" '^variant equal slow5 constant long short over$' 'each condition has its column'
like "$(row "$table" "$summary" gss)" '^gss( [0-9.]+){6}$' 'and is measured'
# A long period of 2 ms, and 0.03 ms for an instance: 67 of them. Regret is of instances from the third one on.
like "$(row "$table" "$regret" gss)" '^gss [0-9.]+ [0-9.]+ (tail|spmv)$' 'long periods have more instances than were asked for'
succeeds --peers none --schedules 'ss gss' --kernels tail --conditions 'equal slow5 constant short over'
is "$(row "$table" "$regret" gss)" 'gss - - -' 'and no others'

succeeds --quick --kernels tail --conditions short
is "$(row "$table" "$summary" tss)" '' '--quick has few schedules'
like "$(row "$table" "$summary" awf-c)" '^awf-c [0-9.]+$' 'awf-c among them'

refuses '--kernels none and --drawn 0: there is no loop to run; nothing is run$' --kernels none
refuses "--scale '0\.0' is not a number" --scale 0.0
refuses "--periods '5' is not two whole numbers" --periods 5
refuses "--kernels 'mandel' is not one of uniform increasing" --kernels 'tail mandel'
refuses "--schedules: 'fac3': unknown schedule 'fac3', nearest is" --schedules 'ss fac3'
refuses "--conditions 'slow' is not one of equal slow5 constant long short over" --conditions slow
refuses "--peers 'icc' is not one of libgomp none" --peers icc
refuses "--threads 1: conditions but equal and over" --threads 1

# --- the report of bench/imbalance works out medians and ratios, from lines that are written down here ---

report=bench/imbalance_dir/imbalance_report.pl

# instances VARIANT IDEAL_US FIRST_US LATER_US LEARNED_US: one process that repeats a loop 12 times, and has learned from
# the 11th on.
instances()
{
    local number wall
    for number in {1..12}; do
        wall=$4
        [ "$number" != 1 ] || wall=$3
        [ "$number" -le 10 ] || wall=$5
        printf '%s\t%s\t%s\t2\t1\t%d\t%d\t%d\n' "$kernel" "$condition" "$1" "$number" \
            $((wall * 1000)) $(($2 * 1000))
    done
}

all_instances()
{
    kernel=uniform condition=equal
    instances 'libgomp static' 1000 1500 1000 1000
    instances css,16 1000 1100 1100 1100
    instances auto 1000 2000 1500 1020
    kernel=tail
    instances 'libgomp static' 1000 4000 2000 2000
    instances css,16 2000 1800 2400 2400
    instances auto 1000 1200 1200 1140
}

table=$(all_instances | perl "$report")
is $? 0 'the report succeeds'
is "$(row "$table" "$summary" 'libgomp static')" 'libgomp static 1.414' 'kernels are put together by geometric means'
# Means of instances 3 to 12: under uniform 1, 1.1 and 1.404 of the ideals; under tail 2, 1.2 and 1.188.
is "$(row "$table" "$regret" 'libgomp static')" 'libgomp static 1.333 1.667 tail' 'regret is the ratio to the best of each loop'
is "$(row "$table" "$regret" css,16)" 'css,16 1.050 1.100 uniform' 'with its mean and worst'
is "$(row "$table" "$regret" auto)" 'auto 1.197 1.404 uniform' 'that of auto as well'
like "$table" '^least worst regret: css,16, 1.100$' 'the schedule of the least worst regret is named'
unlike "$table" '.{101}' 'lines have at most 100 columns'
table=$(all_instances | grep -v auto | perl "$report")
unlike "$table" '^auto' 'nothing is said of auto where it did not run'
table=$(all_instances | awk -F'\t' '$6 < 3' | perl "$report")
is "$(row "$table" "$regret" css,16)" 'css,16 - - -' 'two instances have none after the second'

messages=$(perl "$report" </dev/null 2>&1)
is $? 1 'nothing to report is an error'
like "$messages" '^keel: report: the input is not what imbalance_dir/program writes' 'which is reported'
messages=$(echo 'uniform equal' | perl "$report" 2>&1)
is $? 1 'so is another input'

# --- what reports share: what the reports of bench/ share: quantiles, tables, rows and bars, of samples that are
# written down here ---

# with_report PROGRAM: in Perl, of the standard input.
with_report()
{
    perl -Ibench/support -MReport -we "$1"
}

is "$(with_report 'print join " ", map { quantile($_, 4, 1, 3, 2) } 0, 0.5, 1, 0.25')" '1 2.5 4 1.75' 'quantiles lie between values'
is "$(with_report 'print median(100, 9, 10), " ", median(7, undef)')" '10 7' 'values that are missing do not count'
is "$(with_report 'print defined median() ? "some" : "none"')" none 'of none there is none'
is "$(with_report 'print defined over(1, 0) || defined over(undef, 1) ? "some" : over(1, 4)')" 0.25 'a ratio has both values'
is "$(with_report 'print join " ", unique(qw(b a b c a))')" 'b a c' 'names keep their order'

is "$(printf 'a\t1\nb\t22\n' | with_report '
    my @samples = samples("the test writes", qw(name value));
    heading("name", "value", "bar");
    row($_->{name}, at("%.1f", $_->{value}), bar("%.0f", $_->{value}, 10)) for @samples;
    row("none", at("%.1f", undef), bar("%.0f", undef, 10));
    row("more", at("%.1f", 3), least("%.0f", 3, 2));
    table();
    bars();')" "$(printf '%s\n' 'name  value        bar' 'a       1.0    10 held' 'b      22.0  10 missed' 'none      -          -' \
    'more    3.0     2 held' '' '2 of 3 bars are held.')" 'a table has columns, and counts its bars'

# refused INPUT NAME
refused()
{
    local messages
    messages=$(printf "$1" | with_report 'samples("the test writes", qw(name value))' 2>&1)
    is "$?: $messages" '1: keel: report: the input is not what the test writes' "$2"
}
refused '' 'no sample is refused'
refused 'a\n' 'a field too few'
refused 'a\t1\t2\n' 'a field too many'

done_testing
