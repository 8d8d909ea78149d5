#!/bin/bash
# The output of a process's report, common reports of ranks, and the README's table of members.
source tests/support/tap.sh

sample=$(program write_sample)
at=$TEST_TMPDIR/at
mkdir "$at"
export TMPDIR=$TEST_TMPDIR
for variable in ${!OMPI_@} ${!PMIX_@} ${!PMI_@} ${!SLURM_@} ${!MV2_@}; do
    unset "$variable"
done

head_line='keel: report of ./hydro on alpha, 2 threads, 10.00 s'

is "$("$sample" 0 1 2>&1 >/dev/null | head -n 1)" "$head_line" 'without a file it goes to standard error'
is "$("$sample" 0 1 2>/dev/null)" written 'and not to standard output'
is "$("$sample" 0 1 "$at/text" 2>&1; head -n 1 "$at/text")" "written"$'\n'"$head_line" 'a file'
is "$("$sample" 0 1 "$at/report.json" 2>&1)$(perl -MJSON::PP -0ne 'print decode_json($_)->{processes}[0]{program}' "$at/report.json")" \
    written./hydro 'JSON by its name'
is "$(ls "$at")" $'report.json\ntext' 'no other file is left beside them'

ln -s text "$at/link"
inode=$(stat -c %i "$at/text")
is "$("$sample" 0 1 "$at/link")$(readlink "$at/link")" writtentext 'a link stays'
[ "$(stat -c %i "$at/text")" != "$inode" ]
tap_result $? 'it was replaced as a whole'

# --- files that are not regular ---

mkfifo "$at/pipe"
cat "$at/pipe" >"$at/read" &
said=$(timeout "$tap_patience_s" "$sample" 0 1 "$at/pipe")
wait
is "$said"$'\n'"$(head -n 1 "$at/read")" "written"$'\n'"$head_line" 'a named pipe'
[ -p "$at/pipe" ]
tap_result $? 'which is a pipe still'
is "$("$sample" 0 1 /dev/stdout | head -n 1)" "$head_line" 'a file that the process itself writes to'
{ echo before; "$sample" 0 1 /dev/stdout; echo after; } >"$at/own"
is "$(sed -n '1p;2p;$p' "$at/own")" "before"$'\n'"$head_line"$'\nafter' 'the same in a file, between what others write'
{ echo before; "$sample" 0 1 "$at/own"; } >"$at/own"
is "$(sed -n '1p;2p;$p' "$at/own")" "before"$'\n'"$head_line"$'\nwritten' 'also by its own name'

# --- failures ---

fails()
{
    is "$("$sample" 0 1 "$1" 2>&1)" "keel: KEEL_REPORT: '$1' cannot be written: $2; there is no report"$'\n'"$2" "$3"
}

fails /nowhere/report 'No such file or directory' 'a folder that is not there'
fails /dev/full 'No space left on device' 'a full disk'
mkdir "$at/folder"
fails "$at/folder" 'Is a directory' 'a folder'
mkfifo "$at/unread"
is "$(timeout "$tap_patience_s" "$sample" 0 1 "$at/unread" 2>&1)" \
    "keel: KEEL_REPORT: '$at/unread' cannot be written: no process reads it; there is no report"$'\nNo such device or address' 'a pipe without a reader'
cp "$at/text" "$at/kept"
is "$(ulimit -f 1; "$sample" 0 1 "$at/kept" 2>&1 | cat)" \
    "keel: KEEL_REPORT: '$at/kept' cannot be written: File too large; there is no report"$'\nFile too large' 'a file that may not grow'
ok 'leaves what was there' cmp "$at/text" "$at/kept"
is "$(ls "$at" | grep -c '\.new-')" 0 'and nothing beside it'
is "$("$sample" 0 1 '' 2>/dev/full)" 'No space left on device' 'standard error that is full'
is "$("$sample" 0 1 2>&-)" 'Bad file descriptor' 'or closed'

# --- ranks of one job write one report together, in whatever order they end ---

at=$TEST_TMPDIR/ranks
TMPDIR=$TEST_TMPDIR/tmp
mkdir "$at" "$TMPDIR"

# ranks_in FILE: the ranks of each process of a JSON report.
ranks_in()
{
    perl -MJSON::PP -0ne 'print join(" ", map { $_->{rank} } @{decode_json($_)->{processes}}), "\n"' "$1"
}

# --- beside the file ---

for rank in 2 0 1; do "$sample" $rank 4 "$at/job.json" a >"$TEST_TMPDIR/out"; done
is "$(cat "$TEST_TMPDIR/out"; cd "$at"; echo *)" $'written\njob.json.parts-a' 'parts wait for the last rank'
"$sample" 3 4 "$at/job.json" a >/dev/null
is "$(cd "$at"; echo *)$(ranks_in "$at/job.json")" 'job.json0 1 2 3' 'which merges them, in order, and removes them'

for rank in 0 1 2; do "$sample" $rank 3 "$at/text" a >/dev/null; done
like "$(cat "$at/text")" '^keel: report of ./hydro: 3 ranks on 2 nodes, 6 threads' 'a text of all'

"$sample" 1 2 "$at/again.json" old >/dev/null
"$sample" 0 2 "$at/again.json" new >/dev/null
is "$(cd "$at"; echo again*)" 'again.json.parts-new again.json.parts-old' 'a part of an earlier job is not merged'
"$sample" 1 2 "$at/again.json" new >/dev/null
is "$(cd "$at"; echo again*)$(ranks_in "$at/again.json")" 'again.json again.json.parts-old0 1' 'those of this job are'

"$sample" 0 2 "$at/unwritable.json" a >/dev/null
mkdir "$at/unwritable.json"
is "$("$sample" 1 2 "$at/unwritable.json" a 2>/dev/null | tail -n 1)" 'Is a directory' 'what cannot be written'
is "$(cd "$at"; echo unwritable*)" 'unwritable.json unwritable.json.parts-a' 'leaves the parts'

# All at once: one of them merges.
for round in {1..20}; do
    for rank in {0..7}; do "$sample" $rank 8 "$at/race.json" "$round" >/dev/null 2>>"$TEST_TMPDIR/errors" & done
    wait
    echo "$(cd "$at"; echo race*): $(ranks_in "$at/race.json")"
    rm -f "$at"/race*
done | sort -u >"$TEST_TMPDIR/races"
is "$(cat "$TEST_TMPDIR/races" "$TEST_TMPDIR/errors")" 'race.json: 0 1 2 3 4 5 6 7' '8 ranks that end at once, 20 times'

# --- on a node ---

# on_node RANK RANKS LOCAL [FILE]: as Open MPI's launcher starts it.
on_node()
{
    OMPI_COMM_WORLD_LOCAL_SIZE=$3 PMIX_NAMESPACE="the job@1" "$sample" "$1" "$2" "$4" 2>&1
}

is "$(on_node 1 4 2)$(ls "$TMPDIR" | grep -c keel-report)" written1 'for standard error ranks of a node use a common folder'
text=$(on_node 0 4 2)
like "$text" '^keel: report of ./hydro: 2 of 4 ranks on alpha, 4 threads' 'the last one prints'
unlike "$text" 'nothing is known' 'and misses none of other nodes'
is "$(ls "$TMPDIR")" '' 'nothing is left'

on_node 0 4 2 /dev/stdout >/dev/null
like "$(on_node 1 4 2 /dev/stdout)" '^keel: report of ./hydro: 2 of 4 ranks on alpha' 'the same for a file that is not regular'

for round in {1..20}; do
    for rank in {0..7}; do PMIX_NAMESPACE=$round OMPI_COMM_WORLD_LOCAL_SIZE=8 "$sample" $rank 16 '' 2>&1 & done >"$TEST_TMPDIR/all"
    wait
    grep -c '^keel: report of ./hydro: 8 of 16 ranks' "$TEST_TMPDIR/all"
    ls "$TMPDIR"
done | sort -u >"$TEST_TMPDIR/races"
is "$(<"$TEST_TMPDIR/races")" 1 '8 ranks of a node that end at once, 20 times'

folder=$TMPDIR/keel-report-$(id -u)-the_job_1-alpha
ln -s /tmp "$folder"
like "$(on_node 0 4 2)" "cannot be written: Operation not permitted; there is no report of this rank" 'a folder that is a link is not used'
rm "$folder"

like "$("$sample" 1 4 2>&1)" '^keel: report of ./hydro: 1 of 4 ranks' 'without a launcher each rank prints by itself'
like "$(SLURM_STEP_TASKS_PER_NODE='1(x2),2' SLURM_NODEID=1 SLURM_JOB_ID=7 "$sample" 1 4 2>&1)" '1 of 4 ranks' 'Slurm: the only task of its node'
is "$(SLURM_STEP_TASKS_PER_NODE='1(x2),2' SLURM_NODEID=2 SLURM_JOB_ID=7 "$sample" 2 4 2>&1)" written 'Slurm: one of two'
like "$(SLURM_STEP_TASKS_PER_NODE='1(x2),2' SLURM_NODEID=2 SLURM_JOB_ID=7 "$sample" 3 4 2>&1)" '2 of 4 ranks' 'Slurm: the other'

# --- members: the README names each member of a report's JSON, and none that is not written ---

report=$TEST_TMPDIR/report.json
readme=$(keel_path omp_ext/README.md)
for rank in 0 2; do "$sample" $rank 3 "$report" a; done >/dev/null
"$sample" 1 3 "$report" a >/dev/null

# Compares the members of a report's JSON with the table in a README: members.pl README JSON. Prints what differs.
cat >"$TEST_TMPDIR/members.pl" <<'END'
use strict;
use warnings;
use JSON::PP;

my ($readme, $json) = map { local (@ARGV, $/) = $_; <> } @ARGV;

my %written;
sub collect
{
    my ($name, $value) = @_;
    if (ref $value eq 'ARRAY') {
        collect($name, $_) for @$value;
    } elsif (ref $value eq 'HASH') {
        for my $member (keys %$value) {
            $written{$name}{$member} = 1;
            collect($member, $value->{$member});
        }
    }
}
collect('document', decode_json($json));
delete @{$written{hosts}}{grep { $_ ne 'host' } keys %{$written{summary}}};

my ($section) = $readme =~ /^### The report as JSON\n(.*?)(?=^##)/ms or die "no section\n";
my %told;
while ($section =~ /^\| `(\w+)` \| (.*) \|$/mg) {
    my ($name, $members) = ($1, $2);
    $told{$name} = {map { $_ => 1 } $members =~ /`(\w+)`/g};
}

for my $name (sort keys %{{%written, %told}}) {
    my %all = (%{$written{$name} // {}}, %{$told{$name} // {}});
    for my $member (sort keys %all) {
        print "$name: $member is not in the README\n" unless $told{$name}{$member};
        print "$name: $member is not written\n" unless $written{$name}{$member};
    }
}
END

is "$(perl "$TEST_TMPDIR/members.pl" "$readme" "$report" 2>&1)" '' 'all members, and no others'

done_testing
