#!/bin/bash
# keel report: of programs that it runs, of files, and of several ranks.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh
source tests/support/mpirun.sh

unset OMP_NUM_THREADS OMP_DYNAMIC OMP_PROC_BIND OMP_PLACES GOMP_CPU_AFFINITY
export OMP_WAIT_POLICY=passive
reported=$(keel_path tests/omp_ext/command/sleeping)

# figures FILE EXPRESSION: of a report in JSON; $_ is the report, p(N) its processes, l(N, FUNCTION, KIND) the one of its
# loops there that loses most.
figures()
{
    perl -MJSON::PP -0ne '
        sub p { $_->{processes}[$_[0]] }
        sub l { my ($of, $function, $kind) = @_; (sort { $b->{lost_s} <=> $a->{lost_s} } grep { $_->{function} eq $function && $_->{kind} =~ $kind } @{p($of)->{loop}})[0] }
        $_ = decode_json($_);
        print join " ", map { ref eq "JSON::PP::Boolean" ? 0 + $_ : $_ } '"$2" "$1"
}

report=$TEST_TMPDIR/report.json
head_line='^keel: report of (.*/)?sleeping on [^ ]+, 2 threads, [0-9.]+ s$'

# --- a program that ends as usual ---

is "$(code "$keel" report -t 2 "$reported")$(output)" 0results 'exit code and output are the program'"'"'s'
like "$(messages)" "$head_line" 'the report follows on standard error'
like "$(messages)" '^  parallel efficiency 0\.[0-9]+ = serial part [01]\.[0-9]+ x load balance 0\.[0-9]+ x overhead [01]\.[0-9]+$' 'efficiencies'
like "$(messages)" 'sleeping\.c:[12][0-9]$' 'a static loop by its place'
like "$(messages)" '^ +unbalanced: static' 'with its function and schedule'
unlike "$(messages)" 'recorded until then' 'nothing is said of its end'
is "$(left_behind)" '' 'nothing is left behind'
mkdir "$TMPDIR/of%p"
is "$(TMPDIR=$TMPDIR/of%p code "$keel" report -t 2 "$reported"; left_behind)" $'0\nof%p' 'a TMPDIR whose name has %p'
like "$(messages)" "$head_line" 'has the report, too'
rmdir "$TMPDIR/of%p"

is "$(code "$keel" report -t 2 -s fac2 -o "$report" -- "$reported" exit)$(output)$(messages)" 7results 'exit code; a report in a file leaves standard error alone'
is "$(figures "$report" 'p(0)->{threads}, p(0)->{complete}, l(0, "taken_over", "loop")->{schedule}, l(0, "taken_over", "loop")->{iterations}')" \
    '2 1 fac2 1000' 'the schedule that was asked for is in force'
is "$(KEEL_SCHEDULE=gss code "$keel" report -t 2 -o "$report" "$reported"; figures "$report" 'l(0, "taken_over", "loop")->{schedule}')" $'0\ngss' \
    'or that of the environment'
is "$(code "$keel" report -t 2 -o "$TEST_TMPDIR/text" "$reported"; sed -n 1p "$TEST_TMPDIR/text" | grep -cE "$head_line")" $'0\n1' 'text by the name of the file'
is "$(code "$keel" report -t 2 --json "$reported"; messages >"$report"; figures "$report" '$_->{keel_report}')" $'0\n1' '--json'

# --- sums agree with what the program does: one of two threads sleeps 2 x 100 ms ---

is "$(code "$keel" report -t 2 -o "$report" "$reported")" 0 'it runs again'
is "$(figures "$report" 'do { my $part = l(0, "unbalanced", "."); my $s = p(0)->{summary};
    ($part->{elapsed_s} >= 0.2, $part->{lost_s} >= 0.19, $part->{lost_s} <= 2 * $part->{elapsed_s},
     $s->{waited_s} >= 0.19, $s->{elapsed_s} >= 0.2, $s->{useful_s} >= 0.2, $part->{imbalance_percent} > 10) }')" \
    '1 1 1 1 1 1 1' 'an unbalanced loop loses what the other thread waits'
is "$(figures "$report" 'do { my $s = p(0)->{summary}; my $all = 0; $all += $s->{$_} for qw(useful_s serial_s waited_s claiming_s other_s mpi_s early_s);
    abs($all - 2 * $s->{elapsed_s}) < 1e-6 * $all }')" 1 'what is useful and what is lost add up'

# --- suggestions ---

is "$(code "$keel" report -t 2 -o "$report" "$reported"; figures "$report" 'l(0, "unbalanced", ".")->{suggestion} =~ /[a-z]/ ? "said" : "not said"')" \
    $'0\nsaid' 'what to do about an unbalanced static loop'

# --- places of regions ---

cat >"$TEST_TMPDIR/vector.cc" <<'END'
#include <cstddef>
#include <vector>
struct P { double x, y, z; };
struct B {
    std::vector<P> p, f;
    void move(double dt) {
#pragma omp parallel for
        for (std::size_t i = 0; i < p.size(); i++) { p[i].x += dt * f[i].x; p[i].y += dt * f[i].y; p[i].z += dt * f[i].z; }
    }
};
int main() {
    B b; b.p.resize(30000); b.f.resize(30000);
    for (int s = 0; s < 10; s++) b.move(1e-5);
}
END
g++ -O2 -g -fopenmp "$TEST_TMPDIR/vector.cc" -o "$TEST_TMPDIR/vector"
is "$(code "$keel" report -t 2 -o "$report" "$TEST_TMPDIR/vector"; figures "$report" 'map { "$_->{place} $_->{function}" } grep { $_->{kind} eq "region" } @{p(0)->{loop}}')" \
    $'0\nvector.cc:7 B::move' 'a region is where its directive is, whatever was inlined there'

# --- programs that end otherwise ---

ends()
{
    local killed='l(0, "unbalanced", ".")->{suggestion} =~ /[a-z]/ ? "said" : "not said"'
    is "$(code "$keel" report -t 2 "$reported" $1)$(output)" "$2results" "$1: exit code and output"
    like "$(messages)" "$head_line" "$1: there is a report"
    like "$(messages)" "^$3; this is what was recorded until then\$" "$1: which says so"
    is "$(left_behind)" '' "$1: nothing is left behind"
    is "$(code "$keel" report -t 2 -o "$report" "$reported" $1; figures "$report" "$killed")" "$2"$'\n'said "$1: what to do"
}

ends kill 137 'interrupted by signal 9 \(Killed\)' 2>/dev/null
ends abort 134 'interrupted by signal 6 \(Aborted\)' 2>/dev/null
ends quick 3 'ended by a signal, _exit\(\) or exec\(\)'

is "$(code "$keel" report -t 2 -o "$report" sh -c "'$reported'; OMP_NUM_THREADS=1 '$reported' exit; '$reported' kill; exit 5" 2>/dev/null)" 5 'a script: exit code'
is "$(figures "$report" 'scalar @{$_->{processes}}, sort(map { $_->{threads} } @{$_->{processes}}), sort(map { $_->{complete} ? 1 : 0 } @{$_->{processes}})')" \
    '3 1 2 2 0 1 1' 'each of its programs has a report'
is "$(code "$keel" report -t 2 -o "$report" "$reported" exec "$reported" exit)" 7 'a program that becomes another one'
is "$(figures "$report" 'sort map { $_->{complete} ? 1 : 0 } @{$_->{processes}}')" '0 1' 'both have a report'

# --- bad input ---

is "$(code "$keel" report true)" 0 'a program without regions'
is "$(messages)" "keel: no parallel region or loop of 'true' came to Keel, so there is no report; it has to use GCC's OpenMP" 'says so'
is "$(code "$keel" report ./nowhere)" 127 'a program that is not there'
like "$(messages)" "^keel: './nowhere' cannot be run: No such file or directory$" 'is reported'
is "$(code "$keel" report -s fact2 "$reported")" 2 'a schedule that is not known'
like "$(messages)" "^keel: -s 'fact2': unknown schedule 'fact2', nearest is 'fac2'; '.*' is not run$" 'is reported'
is "$(code "$keel" report --top 0 "$reported")" 2 'a number that cannot be'
is "$(code "$keel" report)" 2 'nothing to run'
is "$(code "$keel" report -o /nowhere/report "$reported" exit)" 125 'a file that cannot be written: exit code'
is "$(messages)" "keel: '/nowhere/report' cannot be written: No such file or directory" 'and is reported'
is "$(TMPDIR=/nowhere code "$keel" report "$reported")" 125 'a TMPDIR that is not there'
is "$(messages | head -n 1)" "keel: no folder for reports can be made in '/nowhere': No such file or directory" 'is reported'
is "$(TMPDIR=$TEST_TMPDIR code "$keel" report -t 2 "$reported"; ls -d "$TEST_TMPDIR"/keel-report* 2>/dev/null)" 0 'another folder is left clean'
"$keel" report "$reported" 2>&1 | true
is "${PIPESTATUS[0]} $(left_behind)" '141 ' 'nothing is left behind where the report is not read'

# --- --from: reports and recordings in files, shown again and brought together ---

sample=$(keel_path tests/omp_ext/report/write_sample)
at=$TEST_TMPDIR/at
mkdir "$at"
"$sample" 0 1 "$at/one.json" >/dev/null
for rank in 0 1 3; do "$sample" $rank 4 "$at/job.json" a >/dev/null; done

is "$(code "$keel" report --from "$at/one.json")$(messages)" 0 'a report goes to standard output'
like "$(output)" '^keel: report of ./hydro on alpha, 2 threads, 10.00 s$' 'as text'
unlike "$(output)" 'draw\.c:7' 'what matters little is left out'
is "$(code "$keel" report --all --from "$at/one.json"; output | grep -c 'draw\.c:7')" $'0\n1' '--all'
is "$(code "$keel" report --top 1 --from "$at/one.json"; output | grep -c 'draw\.c:9')" $'0\n0' '--top'
is "$(code "$keel" report --json --from "$at/one.json"; output | cmp - "$at/one.json" && echo same)" $'0\nsame' '--json gives what was read'
is "$(code "$keel" report -o "$at/text" --from "$at/one.json"; head -c 15 "$at/text")$(output)" $'0\nkeel: report of' 'into a file'

is "$(code "$keel" report --from "$at"/job.json.parts-a/*)" 0 'parts of ranks'
like "$(output)" '^keel: report of ./hydro: 3 of 4 ranks on 2 nodes, 6 threads' 'are merged'
like "$(output)" '^nothing is known of rank 2: killed, or recorded elsewhere$' 'the missing one is named'
is "$(code "$keel" report -o "$at/job.json" --from "$at"/job.json.parts-a/*; figures "$at/job.json" 'map { $_->{rank} } @{$_->{processes}}')" $'0\n0 1 3' 'in order'
is "$(code "$keel" report --from "$at/one.json" "$at/one.json"; output | grep -c '^keel: report of')" $'0\n2' 'two programs stay two'
for job in b a; do for rank in 0 1; do "$sample" $rank 3 "$at/two" $job; done; done >/dev/null
is "$(code "$keel" report -o "$at/two.json" --from "$at"/two.parts-b/1* "$at"/two.parts-a/* "$at"/two.parts-b/0*
    figures "$at/two.json" 'map { "$_->{job}$_->{rank}" } @{$_->{processes}}')" $'0\na0 a1 b0 b1' 'parts of two jobs that come mixed'
for rank in {0..38..2}; do "$sample" $rank 40 "$at/many" a; done >/dev/null
is "$(code "$keel" report --from "$at"/many.parts-a/*)" 0 'a job of which every second rank is missing'
like "$(output)" '^nothing is known of ranks 1, 3, 5, .*[0-9], \.\.\.: killed, or recorded elsewhere$' 'names as many as there is room for'

# A recording, of a program that was killed.
KEEL_REPORT=$at/killed.json OMP_NUM_THREADS=2 LD_PRELOAD=$(keel_path libkeel.so) "$reported" kill >/dev/null 2>&1
is "$(ls "$at" | grep killed)" 'killed.json.recording' 'a program that is killed leaves its recording'
is "$(code "$keel" report --from "$at/killed.json.recording")" 0 'which is read'
like "$(output)" '^ended by a signal, _exit\(\) or exec\(\); this is what was recorded until then$' 'and shown'

# --- bad input ---

head -c 500 "$at/one.json" >"$at/cut.json"
is "$(code "$keel" report --from "$at/cut.json" "$at/one.json")" 1 'a damaged file'
like "$(messages)" "^keel: '$at/cut.json' is damaged or no report of Keel: no JSON at line [0-9]+, column [0-9]+; it is left out$" 'is reported'
like "$(output)" '^keel: report of ./hydro on alpha' 'and the others are shown'
is "$(code "$keel" report --from "$at/nowhere")$(messages)" "1keel: '$at/nowhere' can't be read: No such file or directory; it is left out" 'a file that is not there'
is "$(code "$keel" report --from "$at")$(messages)" "1keel: '$at' can't be read: it is not a regular file; it is left out" 'a folder'
head -c 400 "$at/killed.json.recording" >"$at/cut.recording"
is "$(code "$keel" report --from "$at/cut.recording")$(messages)" "1keel: '$at/cut.recording' is a damaged recording; it is left out" 'a recording without its header'
{ head -c 8 "$at/killed.json.recording" && printf '\4' && tail -c +10 "$at/killed.json.recording"; } >"$at/old.recording"
like "$(code "$keel" report --from "$at/old.recording")$(messages)" \
    "^1keel: '$at/old.recording' is a recording of version 4, expected [0-9]+; it is left out$" 'a recording of an earlier Keel'
perl -e 'print "{\"keel_report\":1,\"processes\":[{\"loop\":[", join(",", ("null") x 2000000), "]}]}"' >"$at/large.json"
is "$(ulimit -v 400000; code "$keel" report --from "$at/large.json")$(messages)" \
    "1keel: '$at/large.json' can't be read: memory is short; it is left out" 'more loops than there is memory for'
is "$(code "$keel" report --from)" 2 'no file at all'
is "$("$keel" report --from "$at/one.json" 2>&1 >/dev/full)" "keel: '/dev/stdout' cannot be written: No space left on device" 'standard output that is full'

# --- ranks: one report for all, on whichever side of mpirun the command is ---

export OMP_NUM_THREADS=2
short_tmpdir

report=$TEST_TMPDIR/report.json
ranks='map({ $_->{rank} } @{$_->{processes}}), map({ $_->{ranks} } @{$_->{processes}}), $_->{summary}{missing_ranks} eq "" ? "all" : "some"'

is "$(code "$keel" report -- mpirun -n 3 "$reported")$(output | sort -u)" 0results 'before mpirun: exit code and output'
is "$(messages | grep -c '^keel: report of ')" 1 'one report'
like "$(messages)" '^keel: report of (.*/)?sleeping: 3 ranks on [^ ]+, 6 threads' 'of all ranks'
is "$(code "$keel" report -o "$report" -- mpirun -n 3 "$reported"; figures "$report" "$ranks")" $'0\n0 1 2 3 3 3 all' 'the same as JSON'

is "$(code mpirun -n 3 "$keel" report "$reported")$(output | sort -u)" 0results 'behind mpirun: exit code and output'
is "$(messages | grep -c '^keel: report of ')" 1 'one report'
like "$(messages)" '^keel: report of (.*/)?sleeping: 3 ranks on [^ ]+, 6 threads' 'of all ranks'
rm "$report"
is "$(code mpirun -n 3 "$keel" report -o "$report" "$reported"; figures "$report" "$ranks")" $'0\n0 1 2 3 3 3 all' 'the same as JSON'
is "$(ls "$TEST_TMPDIR" | grep 'report\.json')" report.json 'nothing is left beside it'

library=$(keel_path libkeel.so)
rm "$report"
is "$(code mpirun -n 3 env LD_PRELOAD="$library" KEEL_REPORT="$report" "$reported"; figures "$report" "$ranks")" $'0\n0 1 2 3 3 3 all' 'without the command'
is "$(code mpirun -n 3 env LD_PRELOAD="$library" KEEL_REPORT=1 "$reported"; messages | grep -c '^keel: report of .*: 3 ranks on')" $'0\n1' 'on standard error'

# One of them is killed, unnoticed by mpirun.
killed='[ $OMPI_COMM_WORLD_RANK != 1 ] && exec "$0"; "$0" kill; exit 0'
is "$(code "$keel" report -o "$report" -- mpirun -n 3 sh -c "$killed" "$reported")" 0 'a rank that is killed'
is "$(figures "$report" "map({ \$_->{complete} } @{\$_->{processes}}), $ranks")" '1 0 1 0 1 2 3 3 3 all' 'is one of the job, recorded until then'

# mpirun ends the others.
killed='[ $OMPI_COMM_WORLD_RANK = 1 ] && exec "$0" kill; exec "$0"'
isnt_0=$(code "$keel" report -o "$report" -- mpirun -n 3 sh -c "$killed" "$reported")
[ "$isnt_0" != 0 ]
tap_result $? 'a rank that is killed: exit code'
is "$(figures "$report" 'map { $_->{complete} } grep { $_->{rank} == 1 } @{$_->{processes}}')" 0 'its part was recorded until then'
is "$(ls "$TMPDIR")" '' 'nothing is left in TMPDIR'

done_testing
