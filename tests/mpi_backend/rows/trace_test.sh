#!/bin/bash
# KEEL_MPI_TRACE: each rank has a line for each interaction of rows.
source tests/support/mpirun.sh

rows=$(program rows)
trace=$TEST_TMPDIR/trace

# traced RANKS CHECK [NAME=VALUE...]: what the job says; its traces are $trace.*.
traced()
{
    rm -f "$trace".*
    mpi_run "$1" KEEL_MPI_TRACE="$trace" "${@:3}" "$rows" "$2" 2>&1
}

# column FILE NUMBER: of its lines but the first.
column()
{
    tail -n +2 "$1" | cut -d, -f"$2"
}

is "$(traced 3 shaken KEEL_MPI_BALANCE=shake)" '' 'nothing is said' || done_testing
is "$(cd "$TEST_TMPDIR" && ls | grep -cxE 'trace\.[012]')" 3 'each rank has a file'
is "$(head -n 1 "$trace.2")" 'hook,time_s,work,rate,filtered_rate,gain,moved,policy,reason,followed,candidates' 'the first line tells the fields'
is "$(cat "$trace".* | grep -vcE '^[0-9]+,[0-9]+\.[0-9]{6}(,[0-9.e+-]+|,inf){4},[0-9]+,[a-z]+,[a-zA-Z0-9][^,]+,,$')" "$(ls "$trace".* | wc -l)" \
    'all others have numbers for them'
is "$(column "$trace.1" 1)" "$(column "$trace.1" 1 | sort -nu)" 'hooks come in order, each once'
is "$(column "$trace.1" 2)" "$(column "$trace.1" 2 | sort -g)" 'time does not go back'
is "$(column "$trace.1" 1,7)" "$(column "$trace.0" 1,7)" 'all ranks tell the same hooks and the same rows'
is "$([ "$(column "$trace.0" 7 | sort -n | tail -n 1)" -gt 0 ] && echo moved)" moved 'rows that move are told'
is "$(column "$trace.0" 7,9 | sed -E 's/^([0-9]+),\1 rows? by chance$/reason/' | sort -u)" reason 'each line tells why'

make_locale de_DE UTF-8
is "$(traced 2 shaken KEEL_MPI_BALANCE=shake LC_ALL=de_DE.UTF-8 LD_PRELOAD="$(keel_path tests/support/set_locale.so)")" '' \
    'a program with a decimal comma: nothing is said'
is "$(cat "$trace".* | grep -vcE '^[0-9]+,[0-9]+\.[0-9]{6}(,[0-9.e+-]+|,inf){4},[0-9]+,[a-z]+,[a-zA-Z0-9][^,]+,,$')" "$(ls "$trace".* | wc -l)" \
    'and numbers have a point'

rm -f "$trace".*
is "$(mpi_run 2 KEEL_MPI_TRACE="$trace" KEEL_MPI_BALANCE=shake "$rows" shaken shaken 2>&1)" '' 'two distributions: nothing is said'
is "$(cd "$TEST_TMPDIR" && ls | grep '^trace' | tr '\n' ' ')" 'trace.0 trace.0.2 trace.1 trace.1.2 ' 'two distributions have two files on each rank'

is "$(traced 2 hooks KEEL_MPI_BALANCE=rate)" '' 'where rank 0 rules, nothing is said, either'
is "$(column "$trace.1" 1)" "$(column "$trace.0" 1)" 'and all ranks tell the same hooks'
is "$(column "$trace.0" 8 | grep -vcxE 'rate|tree|diffusion')" 0 'and what shares decisions followed'
early='too early: .+ since the last figures and rates want .+|no computing was seen|no rate is known yet'
stays='no other shares are better|staying has lost least so far|what should move is less than a row'
stays+='|gain .+ % is under the threshold of .+ %|moving costs .+ and would save .+'
moves='[1-9][0-9]* rows? even out: costs .+ and saves .+'
follows='; follows [a-z0-9-]+: .+ s so far where [a-z0-9-]+ takes .+ s'
reasons="^($early|($stays|$moves)$follows)\$"
is "$(column "$trace.0" 9 | grep -vE "$reasons")" '' 'and each decision has a reason'
is "$(column "$trace.0" 9)" "$(column "$trace.1" 9)" 'which rank 0 tells all ranks'
one='[a-z0-9-]+=[0-9.e+-]+'
is "$(column "$trace.0" 10,11 | grep -vcE "^([a-z0-9-]+,stay=[0-9.e+-]+( $one)+|,)$")" 0 \
    'the candidate that is followed, and what all would have taken'
is "$(column "$trace.0" 10,11)" "$(column "$trace.1" 10,11)" 'the same on all ranks'
is "$(traced 2 hooks KEEL_MPI_BALANCE=rate:period=0.001,quantum=0.0001)$(column "$trace.0" 11 | grep . | sed -E 's/=[^ ]*//g' | sort -u | wc -w)" 7 'all candidates are told'
is "$(traced 2 hooks KEEL_MPI_BALANCE=rate:gain=0.1,greatly=2)$(column "$trace.0" 10,11 | sort -u)" , \
    'who names a threshold gets the published rules'
is "$(traced 2 hooks KEEL_MPI_BALANCE=auto)$(column "$trace.0" 8 | grep -vcxE 'rate|tree|diffusion')" 0 \
    'under auto, too, what shares decisions followed'
is "$(column "$trace.0" 8)" "$(column "$trace.1" 8)" 'the same on all ranks'
is "$(traced 2 hooks KEEL_MPI_BALANCE=off)" '' 'without balancing nothing is said'
is "$(ls "$trace".* 2>&1 | grep -c 'No such file')" 1 'nor traced'
is "$(traced 1 hooks)$(ls "$trace".* 2>&1 | grep -c 'No such file')" 1 'nor on a single rank'

is "$(traced 2 shaken KEEL_MPI_BALANCE=shake KEEL_MPI_TRACE=/nowhere/trace | sort -u)" \
    "keel: KEEL_MPI_TRACE: '/nowhere/trace.0' cannot be written: No such file or directory; nothing is traced" 'a file that cannot be made: message'
mkfifo "$TEST_TMPDIR/pipe.0"
is "$(traced 2 shaken KEEL_MPI_BALANCE=shake KEEL_MPI_TRACE="$TEST_TMPDIR/pipe" | sort -u)" \
    "keel: KEEL_MPI_TRACE: '$TEST_TMPDIR/pipe.0' cannot be written: nobody reads it; nothing is traced" 'a named pipe without a reader: message'
is "$(traced 2 shaken KEEL_MPI_BALANCE=shake KEEL_MPI_TRACE= | sort -u)" 'keel: KEEL_MPI_TRACE: it is empty, and counts as not set' \
    'an empty name asks for nothing'

done_testing
