#!/bin/bash
# What four ranks have done is in one report and in one trace, as the program counts it; and what is left of a job that
# is ended.
source tests/support/mpirun.sh

# What four ranks have done is in one report and in one trace, as the program counts it.

job=$(program reported_job)
folder=$(dirname "$(keel_path libkeel.so)")
out=$TEST_TMPDIR
export OMP_NUM_THREADS=1 KEEL_MPI_BALANCE=shake

# all FILE EXPRESSION: a line for each value of EXPRESSION, in Perl; $_ is what the JSON file holds.
all()
{
    perl -MJSON::PP -0ne '$_ = decode_json($_); print map { "$_\n" } '"$2" "$1"
}

# run PRELOADED 'VARIABLE=VALUE...' [ARGUMENT]: four ranks, each a node; what they print, sorted.
run()
{
    # shellcheck disable=SC2086 # several variables
    mpi_shows 4 LD_PRELOAD="$1" KEEL_MPI_NODE_RANKS=1 $2 "$job" "${@:3}" 2>"$out/messages" | sort
}

# --- the report ---

# Nightly without the trace, which is looked at below.
counted=$(run "$folder/libkeel.so" "KEEL_REPORT=$out/report.json $(each_day "KEEL_TRACE=$out/trace.json" '')")
printf '%s\n' "$counted" >"$out/counted"
same "$(all "$out/report.json" 'map { join " ", $_->{rank}, $_->{shared}[0]{executed}, $_->{rows}[0]{rows_received} } @{$_->{processes}}'; cat "$out/messages")" \
    "$counted" 'a part for each rank, with what the program has counted, and nothing is said'
is "$(all "$out/report.json" 'do { my $all; $all += $_->{shared}[0]{executed} for @{$_->{processes}}; $all }')" 2000 \
    'all iterations are on some rank'
is "$(all "$out/report.json" 'map { join " ", @{$_->{shared}[0]}{qw(instances iterations)}, $_->{rows}[0]{hooks} } @{$_->{processes}}' | sort -u)" \
    '4 2000 12' 'and all ranks record how many there were'
like "$(all "$out/report.json" 'map { $_->{shared}[0]{place} } @{$_->{processes}}' | sort -u)" '^reported_job\.c:[0-9]+ \(run_loops\)$' 'where the loop stands'
is "$(all "$out/report.json" 'map { $_->{schedule} . ($_->{mixed} ? " and others" : "") } grep { $_->{kind} eq "loop" && $_->{instances} == 4 } map { @{$_->{loop}} } @{$_->{processes}}' | sort -u)" \
    'shared by ranks' 'always under the same schedule'
is "$(all "$out/report.json" 'map { @{$_->{rows}[0]{decision}} + $_->{rows}[0]{decisions_left_out} } @{$_->{processes}}' | sort -u)" 11 \
    'each balance call but the first one decides'
is "$(all "$out/report.json" 'map { map { $_->{reason} =~ /^$_->{moved} rows? by chance$/ ? "reason" : $_->{reason} } @{$_->{rows}[0]{decision}} } @{$_->{processes}}' | sort -u)" \
    reason 'with its reason'
is "$(all "$out/report.json" 'map { $_->{mpi_s} > 0 && $_->{mpi_s} <= $_->{elapsed_s} ? "waited" : "$_->{mpi_s} s" } @{$_->{processes}}' | sort -u)" \
    waited 'and how long it has waited'

run "$folder/libkeel.so" KEEL_REPORT="$out/report.txt" >/dev/null
like "$(cat "$out/report.txt")" '^shared loop reported_job\.c:[0-9]+ \(run_loops\) under rate, run 4 times$' 'as text: the loop'
like "$(cat "$out/report.txt")" '^rows of distribution 1: 12 balance calls, [0-9]+ movements of [0-9]+ rows$' 'the rows'
is "$(grep -c '^keel: report of' "$out/report.txt")" 1 'once for all ranks'

for threads in $(each_day 2 '1 2'); do
    counted=$(OMP_NUM_THREADS=$threads run "$folder/libkeel.so" KEEL_REPORT="$out/objects.json" objects)
    same "$(all "$out/objects.json" 'map { join " ", $_->{rank}, $_->{objects}[0]{computed}, 0 } @{$_->{processes}}')" "$counted" \
        "objects are reported where there is no region, too, with OMP_NUM_THREADS=$threads"
done

# --- waiting for ranks, in a region ---

# late VARIABLE=VALUE...: two ranks of two threads; the first one has the other wait for about 2 s.
late()
{
    mpi_shows 2 LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" OMP_NUM_THREADS=2 KEEL_MPI_SCHEDULE=static "$@" "$job" late \
        2>"$out/messages" | sort
}

# of_rank_1 EXPRESSION: of its figures $p, of the loop $l, and of the loop's first thread $t
of_rank_1()
{
    all "$out/late.json" "do { my \$p = \$_->{processes}[1]; my (\$l) = grep { \$_->{schedule} eq 'shared by ranks' } @{\$p->{loop}}; my \$t = \$l->{thread}[0]; ($1) ? 'so' : encode_json([\$p]) }"
}

is "$(late KEEL_REPORT="$out/late.json")" $'0 2 0\n1 2 0' 'a rank waits for another one in a loop'
is "$(of_rank_1 '$p->{mpi_in_regions_s} >= 0.1 && $p->{mpi_in_regions_s} <= $p->{mpi_s}')" so 'which is time in regions'
is "$(of_rank_1 '$t->{waited_s} >= $p->{mpi_in_regions_s} - 0.001')" so 'that the thread has waited'
is "$(of_rank_1 '$t->{busy_s} + $t->{waited_s} <= $l->{elapsed_s} + 0.001')" so 'in place of being busy'
is "$(of_rank_1 'abs($p->{summary}{serial_s} / 2 - ($p->{serial_s} - $p->{mpi_s} + $p->{mpi_in_regions_s})) < 1e-6')" so \
    'and the serial part is what it is without'

# --- without libkeel.so ---

counted=$(run "$folder/libkeel_mpi.so" KEEL_REPORT="$out/rows.json" rows)
same "$(all "$out/rows.json" 'map { join " ", $_->{rank}, 0, $_->{rows}[0]{rows_received} } @{$_->{processes}}'; cat "$out/messages")" "$counted" \
    'without libkeel.so, rows are recorded, too, without a message'
is "$(all "$out/rows.json" 'map { join " ", $_->{ranks}, $_->{complete} ? "complete" : "not", scalar @{$_->{loop}} } @{$_->{processes}}' | sort -u)" \
    '4 complete 0' 'by processes without loops'
run "$folder/libkeel_mpi.so" KEEL_REPORT=1 rows >/dev/null
is "$(grep -c '^keel: report of .*: 4 ranks on ' "$out/messages")" 1 'a report on standard error'
run "$folder/libkeel_mpi.so" KEEL_REPORT=/nowhere/report rows >/dev/null
is "$(grep -c "^keel: KEEL_REPORT: '/nowhere/report' cannot be written: No such file or directory; there is no report" "$out/messages")" 4 \
    'a file that cannot be made: each rank says so'
long=/$(printf 'long/%.0s' {1..850})report
run "$folder/libkeel_mpi.so" "KEEL_REPORT=$long" rows >/dev/null
is "$(grep -c "^keel: KEEL_REPORT: '/long/.*\.\.\.' is too long; the report goes to standard error\$" "$out/messages")" 4 'likewise a name that is too long'
is "$(grep -c '^keel: report of .*: 4 ranks on ' "$out/messages")" 1 'and the report is there'
is "$(run "$folder/libkeel_mpi.so" 'KEEL_REPORT=0 KEEL_TRACE=' rows | wc -l; ls "$out" | grep -c '^0'; cat "$out/messages")" $'4\n0' \
    'KEEL_REPORT=0 asks for nothing, nor does an empty KEEL_TRACE, and nothing is said'

for file in $(each_day trace.json 'trace.json trace.csv'); do
    counted=$(run "$folder/libkeel_mpi.so" KEEL_TRACE="$out/none_$file" rows | wc -l)
    is "$counted $(cat "$out/messages")" \
        '4 keel: KEEL_TRACE: libkeel.so is not in the process, so nothing is traced (`keel run`, or `keel libs --mpi` for linking)' \
        "$file: no rank writes it, which one rank of the node says"
done

# --- the trace ---

! nightly || run "$folder/libkeel.so" KEEL_TRACE="$out/trace.json" >"$out/counted"
perl -MJSON::PP -e 'print encode_json([map { local (@ARGV, $/) = $_; @{decode_json(<>)} } @ARGV])' "$out"/trace.json.? >"$out/trace.json"
is "$(all "$out/trace.json" 'sort keys %{{ map { ($_->{pid} => 1) } @$_ }}')" $'0\n1\n2\n3' 'the traces have all ranks'
same "$(all "$out/trace.json" 'do { my @rows = (0) x 4; for (@$_) { next if ($_->{cat} // "") ne "move" || $_->{args}{what} ne "rows"; $rows[$_->{pid}] += $_->{args}{last} - $_->{args}{first} } @rows }')" \
    "$(cut -d' ' -f3 "$out/counted")" 'with the rows that came'
is "$(all "$out/trace.json" 'map { $_->{args}{to} == $_->{pid} ? "there" : $_->{pid} } grep { ($_->{cat} // "") eq "move" } @$_' | sort -u)" there \
    'on the rank that got them'
is "$(all "$out/trace.json" 'map { $_->{args}{reason} =~ /./ ? $_->{name} : "no reason" } grep { ($_->{cat} // "") eq "decision" && exists $_->{args}{rows} } @$_' | sed -E 's/^rows (move|stay)$/reason/' | sort -u)" reason \
    'decisions about rows have reasons'
is "$(all "$out/trace.json" 'map { $_->{pid} } grep { $_->{ph} eq "C" && $_->{name} eq "share" } @$_' | sort | uniq -c | sed -E 's/^ *//')" \
    $'15 0\n15 1\n15 2\n15 3' 'and each rank its share, of 4 loops and 11 decisions'
is "$(all "$out/trace.json" 'map { $_->{pid} } grep { ($_->{cat} // "") eq "wait" && $_->{args}{at} eq "rank" } @$_' | sort -u | tr '\n' ' ')" '0 1 2 3 ' \
    'and its waits'

# --- a job that is ended by SIGTERM to mpirun, as a batch system does where its time is up: what ranks have recorded
# and traced until then is there. Nothing of Keel's runs in the time between SIGTERM and SIGKILL. ---

out=$TEST_TMPDIR/ended
mkdir -p "$out/ready"

# A trace grows while the program runs.
traces_have_loops()
{
    [ "$(grep -l '"cat":"loop"' "$out"/trace.json.* 2>/dev/null | wc -l)" = 2 ]
}

# comes COMMAND...: waits until it succeeds.
comes()
{
    for _ in $(seq $((tap_patience_s * 10))); do
        "$@" && return
        sleep 0.1
    done
    diag "has not come: $*"
    return 1
}

mpi_shows 2 LD_PRELOAD="$folder/libkeel.so" OMP_NUM_THREADS=2 KEEL_REPORT="$out/report.json" KEEL_TRACE="$out/trace.json" \
    "$job" ended "$out/ready" >"$out/output" 2>&1 &
ended=$!
ok 'the job runs' comes test -s "$out/ready/0" -a -s "$out/ready/1"
ok 'its traces grow' comes traces_have_loops
kill -TERM "$(cat "$out/ready/0")"
wait $ended
ok 'it fails' test $? != 0

is "$(cd "$out" && echo report.json*)" 'report.json.0.recording report.json.1.recording' 'each rank leaves its recording'
said=$("$folder/keel" report --from "$out"/report.json.*.recording 2>&1)
like "$said" '2 ranks \(marked \*\): ended by a signal, _exit\(\) or exec\(\); this is what was recorded until then' 'keel report says that they have been ended'
like "$said" 'reported_job\.c:[0-9]+' 'and where the loop is'
like "$said" '^ +1 on .* \*' 'and has a line of each rank'
is "$(for file in "$out"/trace.json.*; do perl -MJSON::PP -0ne 'print scalar(@{decode_json($_)}) > 0 ? "valid " : "empty "' "$file"; done)" \
    'valid valid ' 'their traces are valid JSON'

done_testing
