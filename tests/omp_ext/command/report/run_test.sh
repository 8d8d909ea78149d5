#!/bin/bash
# keel report runs a program, and tells where its time went, whatever the way in which it ends.
source tests/support/tap.sh
source tests/omp_ext/command/report/report.sh

report=$TEST_TMPDIR/report.json
head_line='^keel: report of (.*/)?reported on [^ ]+, 2 threads, [0-9.]+ s$'

# --- a program that ends as usual ---

is "$(code "$keel" report -t 2 "$reported")$(output)" 0results 'exit code and output are the program'"'"'s'
like "$(messages)" "$head_line" 'the report follows on standard error'
like "$(messages)" '^  parallel efficiency 0\.[0-9]+ = serial part [01]\.[0-9]+ x load balance 0\.[0-9]+ x overhead [01]\.[0-9]+$' 'efficiencies'
like "$(messages)" 'reported\.c:[12][0-9]$' 'a static loop by its place'
like "$(messages)" '^ +unbalanced: static' 'with its function and schedule'
unlike "$(messages)" 'recorded until then' 'nothing is said of its end'
is "$(left_behind)" '' 'nothing is left behind'

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
    $'0\nvector.cc:7 B::move' 'a region stands where its directive does, whatever was inlined there'

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
like "$(messages)" "^keel: './nowhere' cannot be run: No such file or directory$" 'is told'
is "$(code "$keel" report -s fact2 "$reported")" 2 'a schedule that is not known'
like "$(messages)" "^keel: -s 'fact2': unknown schedule 'fact2', nearest is 'fac2'; '.*' is not run$" 'is told'
is "$(code "$keel" report --top 0 "$reported")" 2 'a number that cannot be'
is "$(code "$keel" report)" 2 'nothing to run'
is "$(code "$keel" report -o /nowhere/report "$reported" exit)" 125 'a file that cannot be written: exit code'
is "$(messages)" "keel: '/nowhere/report' cannot be written: No such file or directory" 'and is told'
is "$(TMPDIR=/nowhere code "$keel" report "$reported")" 125 'a TMPDIR that is not there'
is "$(messages | head -n 1)" "keel: no folder for reports can be made in '/nowhere': No such file or directory" 'is told'
is "$(TMPDIR=$TEST_TMPDIR code "$keel" report -t 2 "$reported"; ls -d "$TEST_TMPDIR"/keel-report* 2>/dev/null)" 0 'another folder is left clean'
mkdir "$TEST_TMPDIR/small"
if mount -t tmpfs -o size=16k tmpfs "$TEST_TMPDIR/small" 2>/dev/null; then
    head -c 100000 /dev/zero >"$TEST_TMPDIR/small/all" 2>/dev/null
    is "$(TMPDIR=$TEST_TMPDIR/small code "$keel" report "$reported" exit)" 125 'a full TMPDIR: exit code'
    unlike "$(messages)" 'no parallel region or loop' 'nothing untrue is said of it'
    umount "$TEST_TMPDIR/small"
else
    skip 'a full TMPDIR' 'no small disk can be mounted'
fi
"$keel" report "$reported" 2>&1 | true
is "${PIPESTATUS[0]} $(left_behind)" '141 ' 'nothing is left behind where nobody reads the report'
done_testing
