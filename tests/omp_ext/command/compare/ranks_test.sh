#!/bin/bash
# keel compare with ranks: how they share loops, by --ranks or by a command line of mpirun.
source tests/support/tap.sh
source tests/omp_ext/command/compare/compare.sh
source tests/support/mpirun.sh
export OMP_NUM_THREADS=1
short_tmpdir

shared=$TEST_TMPDIR/shared
eval "mpicc -O1 -fopenmp $here/shared.c $("$keel" libs --mpi) -o '$shared'" || exit

number='[0-9]+(\.[0-9]+)?'
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

# Without a list, the program tells what it has.
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
