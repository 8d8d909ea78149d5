#!/bin/bash
# keel report with programs of several ranks: one report for all, on whichever side of mpirun it stands.
source tests/support/tap.sh
source tests/omp_ext/command/report/report.sh
source tests/support/mpirun.sh
export OMP_NUM_THREADS=2
short_tmpdir

report=$TEST_TMPDIR/report.json
ranks='map({ $_->{rank} } @{$_->{processes}}), map({ $_->{ranks} } @{$_->{processes}}), $_->{summary}{missing_ranks} eq "" ? "all" : "some"'

is "$(code "$keel" report -- mpirun -n 3 "$reported")$(output | sort -u)" 0results 'before mpirun: exit code and output'
is "$(messages | grep -c '^keel: report of ')" 1 'one report'
like "$(messages)" '^keel: report of (.*/)?reported: 3 ranks on [^ ]+, 6 threads' 'of all ranks'
is "$(code "$keel" report -o "$report" -- mpirun -n 3 "$reported"; figures "$report" "$ranks")" $'0\n0 1 2 3 3 3 all' 'the same as JSON'

is "$(code mpirun -n 3 "$keel" report "$reported")$(output | sort -u)" 0results 'behind mpirun: exit code and output'
is "$(messages | grep -c '^keel: report of ')" 1 'one report'
like "$(messages)" '^keel: report of (.*/)?reported: 3 ranks on [^ ]+, 6 threads' 'of all ranks'
rm "$report"
is "$(code mpirun -n 3 "$keel" report -o "$report" "$reported"; figures "$report" "$ranks")" $'0\n0 1 2 3 3 3 all' 'the same as JSON'
is "$(ls "$TEST_TMPDIR" | grep 'report\.json')" report.json 'nothing is left beside it'

library=$(keel_path libkeel.so)
rm "$report"
is "$(code mpirun -n 3 env LD_PRELOAD="$library" KEEL_REPORT="$report" "$reported"; figures "$report" "$ranks")" $'0\n0 1 2 3 3 3 all' 'without the command'
is "$(code mpirun -n 3 env LD_PRELOAD="$library" KEEL_REPORT=1 "$reported"; messages | grep -c '^keel: report of .*: 3 ranks on')" $'0\n1' 'on standard error'

# They end one after the other.
late='sleep "$OMPI_COMM_WORLD_RANK"; exec "$0"'
is "$(code mpirun -n 3 "$keel" report sh -c "$late" "$reported"; messages | grep -c '^keel: report of .*: 3 ranks on')" $'0\n1' 'the last one prints for all'
is "$(code mpirun -n 3 env LD_PRELOAD="$library" KEEL_REPORT=1 sh -c "$late" "$reported"; messages | grep -c '^keel: report of .*: 3 ranks on')" \
    $'0\n1' 'without the command, too'

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
