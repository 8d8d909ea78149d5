#!/bin/bash
# Whole comparisons: what keel compare says of schedules, of loops, and of ranks.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh
source tests/support/mpirun.sh
compiles
library=$(dirname "$(readlink -f "$keel")")/libkeel.so.1 # as the command finds it

# --- schedules that differ: by how much, and what to put into a job script ---

compile uneven || exit

number='[0-9]+(\.[0-9]+)?'
cd "$TEST_TMPDIR" || exit
compare --libgomp static -s 'fac2 static' --rounds 10-1000 --timeout 1000 --json all.json -- "$uneven"
is "$status" 0 'exit code'
like "$said" "^'$uneven': [0-9]+ rounds of 3 schedules in random order, seed 1; all differences that matter are told apart\$" \
    'rounds and seed'
like "$said" "^the fastest in these rounds is fac2: $number % \($number to $number\) faster than libgomp static\$" 'the faster one'
like "$said" "^than fac2: libgomp static $number % \($number to $number\) slower, static $number % \($number to $number\) slower\$" \
    'the slower ones'
like "$said" "^fac2 +[0-9]+ +$number +$number +0\.[0-9]+ \(0\.[0-9]+ to 0\.[0-9]+\) +0\.0\$" 'its row'
like "$said" '^libgomp static +[0-9]+ .* 1\.000 \(1\.000 to 1\.000\)' "the reference's row"
like "$said" "^fac2 is $number % \($number to $number\) faster than libgomp static:\$" 'what is advised, and why'
is "$(tail -n 1 <<<"$said")" "export LD_PRELOAD=$library KEEL_SCHEDULE=fac2" 'the line for a job script'
like "$messages" '^keel: a run takes about [0-9.e+]+ s: warming up and 8 rounds of 3 schedules, the fewest that tell them apart, take about [0-9]+ s$' \
    'at the start: how long it takes'
is "$(sed -n '/^schedule/,/^$/p' <<<"$said" | awk 'NR > 1 && NF { print $(NF - 4) }' | sort -n)" \
    "$(sed -n '/^schedule/,/^$/p' <<<"$said" | awk 'NR > 1 && NF { print $(NF - 4) }')" 'rows are in the order of the ratios'
is "$(sed -n '/^schedule/{n;p}' <<<"$said" | cut -d ' ' -f 1)" fac2 'the first one is the fastest'
like "$messages" '^keel: warming up; at most [0-9]+ s left$' 'progress: warming up'
like "$messages" '^keel: round 10; at most [0-9]+ s left$' 'progress: rounds'
like "$messages" "^keel: these paths lead into Bazel's cache, .*; \`bazel run //:install -- --prefix=DIR\` installs what stays\$" \
    'and that it does not hold for ever'
is "$(left_behind)" '' 'no file is left'

# That line does what it says.
like "$(eval "$(tail -n 1 <<<"$said")"; KEEL_TRACE=/dev/stdout "$uneven")" '^loop,instance' 'the line brings the loop to Keel'

# --- files ---
rounds=$(from_json all.json '$d->{rounds}')
is "$(from_json all.json '$d->{keel_compare}')" 1 'JSON: version'
is "$(from_json all.json 'join ",", map { $_->{name} } @{$d->{schedules}}')" 'libgomp static,fac2,static' 'schedules'
is "$(from_json all.json 'join ",", map { scalar grep { defined } @{$_->{times_s}} } @{$d->{schedules}}')" "$rounds,$rounds,$rounds" 'their times'
is "$(from_json all.json '$d->{schedules}[0]{verdict}')" slower 'verdict'
is "$(from_json all.json '$d->{schedules}[1]{environment}{KEEL_SCHEDULE}')" fac2 'environment'
is "$(from_json all.json '$d->{advice}{kind}, " ", $d->{advice}{schedule}')" 'told apart fac2' 'advice'
is "$(from_json all.json 'my $r = $d->{schedules}[1]{ratio}; $r->{low} <= $r->{median} && $r->{median} <= $r->{high} && $r->{high} < 1 ? "in" : "out"')" in \
    'the median lies in its interval'
like "$(from_json all.json 'my @t = sort { $a <=> $b } map { $d->{schedules}[1]{times_s}[$_] / $d->{schedules}[0]{times_s}[$_] } 0 .. $d->{rounds} - 1;
    abs(($t[$#t / 2] + $t[@t / 2]) / 2 - $d->{schedules}[1]{ratio}{median}) < 1e-9 ? "same" : "other"')" '^same$' 'it is the median of ratios by round'

# --- nothing to gain ---
compare --libgomp 'static dynamic' -s fac2 --matters 50 --rounds 9-9 -- "$uneven" 0
is "$status" 0 'an empty loop: exit code'
like "$said" '^(nothing is to gain|no gain) over libgomp static|^not certain: ' 'nothing is claimed'

# libgomp's own may be the best: its line needs no Keel.
compare --libgomp 'static dynamic,1' -s static --rounds 9-1000 --timeout 1000 -- "$uneven"
is "$(tail -n 1 <<<"$said")" 'export OMP_SCHEDULE=dynamic,1' "libgomp's own is advised"

# --- too little time ---
said=$("$keel" compare --libgomp static -s fac2 --budget 0.001 --json none.json -- "$uneven" 2>/dev/null)
is "$?" 4 'no budget: exit code'
like "$said" "^'$uneven': the budget is used up before a round of 2 schedules was over; nothing can be said of them\$" 'it is said'
like "$said" "^0 rounds can't tell schedules apart, 7 are wanted: about --budget [0-9]+\$" 'and what it would take'
unlike "$said" 'than fac2|faster|slower|gain|export' 'nothing is claimed'
is "$(from_json none.json '$d->{advice}{kind}')" 'nothing is known' 'JSON: neither'

# --- loops: their times come from the reports of runs ---

# loop PLACE SECONDS: the member of a report.
# Under a schedule, solve and flux take tenths of a second by its name.
write_script two_loops <<'END'
loop()
{
    printf '{"kind": "loop", "place": "%s", "function": "%s", "instances": 1, "threads": 2, "elapsed_s": %s,
        "thread": [{"busy_s": 0}, {"busy_s": 0}]}' "$1" "$1" "$2"
}
case $KEEL_SCHEDULE in
libgomp | '') solve=0.4 flux=0.4 ;;
fac2) solve=0.1 flux=0.3 ;;
gss) solve=0.5 flux=0.1 ;;
*) echo "no schedule like '$KEEL_SCHEDULE' is known here" >&2; exit 1 ;;
esac
sleep $solve
sleep $flux
[ -z "$KEEL_REPORT" ] ||
    echo "{\"keel_report\": 1, \"processes\": [{\"program\": \"two_loops\", \"ranks\": 1, \"threads\": 2,
        \"elapsed_s\": 1, \"loop\": [$(loop solve $solve), $(loop flux $flux)]}]}" >"$KEEL_REPORT"
END

compare --libgomp static -s 'fac2 gss' --rounds 10-10 --json all.json -- "$two_loops"
is "$status" 0 'exit code'
like "$said" "^solve \(solve\): $number % of the time; best fac2, 0\.1 s\$" 'a loop that has its best schedule'
like "$said" "^flux \(flux\): $number % of the time; best gss, 0\.1 s, 67 % \(67 to 67\) faster than fac2\$" \
    'one that has not'
is "$(from_json all.json 'join " ", map { $_->{place} } @{$d->{loops}}' | tr ' ' '\n' | sort | tr '\n' ' ')" 'flux solve ' 'JSON: loops'

# Reports that are none.
write_script odd_report <<'END'
case $KEEL_SCHEDULE in
libgomp) echo 'nonsense' >"$KEEL_REPORT" ;;
fac2) echo '{"keel_report": 1, "processes": [{"loop": [{"kind": "loop", "place": 7}]}]}' >"$KEEL_REPORT" ;;
esac
END
compare --libgomp static -s 'fac2 gss' --rounds 2-2 -- "$odd_report"
is "$status" 0 'damaged reports: exit code'
like "$said" '^gss +2 ' 'the whole program is compared'
unlike "$said" 'of the time' 'and no loop'
cd "$OLDPWD" || exit

# --- ranks: how they share loops, by --ranks or by a command line of mpirun ---

export OMP_NUM_THREADS=1
short_tmpdir

# A loop that ranks share, of which the last iterations take longest: equal shares are bad. Iterations sleep.
shared=$TEST_TMPDIR/shared
cat >"$shared.c" <<'END'
#include <keel_mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int level, rank;
    long count = 0, all = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    keel_mpi_share(MPI_COMM_WORLD);
#pragma omp parallel for schedule(runtime) reduction(+ : count)
    for (int i = 0; i < 40; i++) {
        usleep(i < 20 ? 1000 : 20000);
        count++;
    }
    MPI_Reduce(&count, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%ld iterations\n", all);
    }
    return MPI_Finalize();
}
END
eval "mpicc -O1 -fopenmp '$shared.c' $("$keel" libs --mpi) -o '$shared'" || exit

compare --ranks 2 -m 'static tree' --rounds 9-1000 --timeout 1000 -- "$shared"
is "$status" 0 'exit code'
like "$said" ': [0-9]+ rounds of 2 schedules' 'two ways to share'
like "$said" "^the fastest in these rounds is tree: $number % \($number to $number\) faster than static\$" 'the faster one'
like "$said" '^export KEEL_MPI_SCHEDULE=tree$' 'the line for a job script, without a library that the program has already'
like "$said" '^  \(mpirun passes them on with -x NAME for each\)$' 'and for mpirun'

# What the ranks get, and mpirun itself does not.
write_script show <<'END'
echo "$OMPI_COMM_WORLD_SIZE ${LD_PRELOAD##*/} schedule=$KEEL_SCHEDULE mpi=$KEEL_MPI_SCHEDULE balance=$KEEL_MPI_BALANCE weights=$KEEL_MPI_WEIGHTS" >>"$1"
tr '\0' '\n' </proc/$PPID/environ | grep -c '^LD_PRELOAD' >>"$1"
true
END
# shown OPTION... -- COMMAND...: what ranks have seen in all runs.
shown()
{
    rm -f "$TEST_TMPDIR/seen"
    compare --rounds 1-1 "$@" "$TEST_TMPDIR/seen"
    sort -u "$TEST_TMPDIR/seen"
}
export KEEL_MPI_WEIGHTS=1,2
is "$(shown --ranks 2 -m 'tree steal,8' -b 'off rate-local' -- "$show")" "0
2 libkeel.so.1 schedule= mpi= balance=off weights=1,2
2 libkeel.so.1 schedule= mpi= balance=rate-local weights=1,2
2 libkeel.so.1 schedule= mpi=steal,8 balance= weights=1,2
2 libkeel.so.1 schedule= mpi=tree balance= weights=1,2" 'each by itself'
unset KEEL_MPI_WEIGHTS
is "$(shown -s 'fac2 gss;a.c:3=fac2' --libgomp static -- mpirun -n 2 "$show")" "0
2 libkeel.so.1 schedule=fac2 mpi= balance= weights=
2 libkeel.so.1 schedule=gss;a.c:3=fac2 mpi= balance= weights=
2 libkeel.so.1 schedule=libgomp mpi= balance= weights=" 'a command line of mpirun'

# Without a list, the program prints what it has.
compare --ranks 2 --rounds 1-1 -- "$shared"
like "$said" '^tree +[1-3] ' 'a program that shares loops: ways to share'
unlike "$said" '^libgomp' 'and no schedules of threads'
compare --ranks 2 --rounds 1-1 -- "$(keel_path bench/apps/sor)" --size 20 --steps 2
like "$said" '^rate-local +[1-3] ' 'a program with rows: ways to balance them'

# A rank that fails.
compare --ranks 2 -m 'static tree' -- sh -c 'exit 3'
is "$status" 3 'ranks that fail: exit code'
like "$said" "^'sh' ends with exit code 3.* under static, the reference; nothing is compared" 'message'
said=$(PATH=/no/such/folder "$keel" compare --ranks 2 -m 'static tree' -- "$shared" 2>&1)
is "$?" 127 'no mpirun: exit code'
like "$said" "^keel: 'mpirun' cannot be run: No such file or directory\$" 'message'

done_testing
