#!/bin/bash
# Rows that move among 2 and 3 ranks, nightly among 1 to 8, and the trace of decisions.
source tests/support/mpirun.sh

# --- rows that move among 2 and 3 ranks, nightly among 1 to 8: by random shares, under every policy, and with
# errors ---

rows=$(program moved_rows)

for ranks in $(each_day '2 3' '1 2 3 4 5 6 7 8'); do
    mpi_passes "$ranks ranks: random shares, and rows that move at every balance call" "$ranks" KEEL_MPI_BALANCE=shake \
        "$rows" moves shaken
done
some='auto rate-local:pipelined=no,filter=no rate random diffusion redistribute tree:central=3,pipelined=no shake'
policies='auto rate-local rate-local:pipelined=no,filter=no rate rate:pipelined=no random diffusion redistribute tree
    auto:central=2 tree:central=3,pipelined=no shake shake:seed=77 off'
for ranks in $(each_day 3 '2 5'); do
    mpi_passes "$ranks ranks under each policy" "$ranks" POLICIES="$(echo $(each_day "$some" "$policies"))" "$rows" policies
done
mpi_passes 'first blocks by weights' 3 KEEL_MPI_WEIGHTS=1,0.1,4 "$rows" moves calls
mpi_passes "rows of $(each_day 20 100) MiB" 2 "$rows" wide
mpi_passes 'weights of phases to come' 3 \
    KEEL_MPI_BALANCE=rate-local:period=1e-9,quantum=1e-6,filter=no,pipelined=no "$rows" ahead
mpi_passes 'weights of 1e-300, a policy set by the program, and rare measurements' 3 "$rows" small policy_set rare
mpi_passes 'off' 4 KEEL_MPI_BALANCE=off "$rows" off

# fails RANKS [NAME=VALUE...] -- CHECK...: sets $status and $output.
fails()
{
    local before=()
    while [ "$1" != -- ]; do
        before+=("$1")
        shift
    done
    output=$(mpi_run "${before[@]}" "$rows" "${@:2}" 2>&1)
    status=$?
}

# complains NAME TEXT: that job passed, and printed TEXT.
complains()
{
    [ "$status" = 0 ] && grep -qF "$2" <<<"$output" && ! grep -q '^line' <<<"$output"
    tap_result $? "$1" || diag "$output"
}

# stays_away NAME RANKS CHECK: the others wait for a rank.
stays_away()
{
    fails "$2" KEEL_MPI_DEADLINE=0.3 -- "$3"
    complains "$1" ' s at keel_mpi_rows_balance(), or where ranks agree on rows, for rank '
}

for ranks in $(each_day 3 '2 3'); do
    beside stays_away "$ranks ranks: one makes no balance call" $ranks absence
    beside stays_away "$ranks ranks: one stays away later" $ranks leaving
    fails $ranks -- different arguments
    complains "$ranks ranks: different policies" 'with different KEEL_MPI_BALANCE'
    complains "$ranks ranks: bad arguments" 'ranks want different shares'
    together
done
fails 3 KEEL_MPI_BALANCE=rate-local:period=1e-9,quantum=1e-6,filter=no,pipelined=no -- extreme
complains 'weights out of range' 'or a weight is not from 0 to 1e+100; weights stay'
weighs='[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 0 ] || export KEEL_MPI_WEIGHTS=1,3; exec "$@"'
fails 2 bash -c "$weighs" bash -- other_weights
complains 'ranks with different KEEL_MPI_WEIGHTS' 'or KEEL_MPI_WEIGHTS or KEEL_MPI_COPIES, expected the same'
fails 3 -- functions
complains 'functions that fail' 'failed with 6 to unpack row'
fails 2 -- unseen
complains 'no loops to measure' 'no scheduled loop has been seen'

# --- KEEL_MPI_TRACE: each rank writes a line for each exchange of measurements ---

trace=$TEST_TMPDIR/trace

# traced RANKS CHECK [NAME=VALUE...]: the job's output; its traces are $trace.*.
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
is "$(head -n 1 "$trace.2")" 'hook,time_s,work,rate,filtered_rate,gain,moved,policy,reason,followed,candidates' 'the first line names the fields'
is "$(cat "$trace".* | grep -vcE '^[0-9]+,[0-9]+\.[0-9]{6}(,[0-9.e+-]+|,inf){4},[0-9]+,[a-z]+,[a-zA-Z0-9][^,]+,,$')" "$(ls "$trace".* | wc -l)" \
    'all others have their values'
is "$(column "$trace.1" 1)" "$(column "$trace.1" 1 | sort -nu)" 'balance calls are in order, each once'
is "$(column "$trace.1" 2)" "$(column "$trace.1" 2 | sort -g)" 'time does not go back'
is "$(column "$trace.1" 1,7)" "$(column "$trace.0" 1,7)" 'all ranks trace the same balance calls and the same rows'
is "$([ "$(column "$trace.0" 7 | sort -n | tail -n 1)" -gt 0 ] && echo moved)" moved 'moved rows are traced'
is "$(column "$trace.0" 7,9 | sed -E 's/^([0-9]+),\1 rows? by chance$/reason/' | sort -u)" reason 'each line has the reason'

make_locale de_DE UTF-8
is "$(traced 2 shaken KEEL_MPI_BALANCE=shake LC_ALL=de_DE.UTF-8 LD_PRELOAD="$(keel_path tests/support/set_locale.so)")" '' \
    'a program with a decimal comma: nothing is said'
is "$(cat "$trace".* | grep -vcE '^[0-9]+,[0-9]+\.[0-9]{6}(,[0-9.e+-]+|,inf){4},[0-9]+,[a-z]+,[a-zA-Z0-9][^,]+,,$')" "$(ls "$trace".* | wc -l)" \
    'and numbers have a point'

rm -f "$trace".*
is "$(mpi_run 2 KEEL_MPI_TRACE="$trace" KEEL_MPI_BALANCE=shake "$rows" shaken shaken 2>&1)" '' 'two distributions: nothing is said'
is "$(cd "$TEST_TMPDIR" && ls | grep '^trace' | tr '\n' ' ')" 'trace.0 trace.0.2 trace.1 trace.1.2 ' 'two distributions have two files on each rank'

is "$(traced 2 calls KEEL_MPI_BALANCE=rate)" '' 'if rank 0 decides, nothing is said, either'
is "$(column "$trace.1" 1)" "$(column "$trace.0" 1)" 'and all ranks trace the same balance calls'
is "$(column "$trace.0" 8 | grep -vcxE 'rate|tree|diffusion')" 0 'and the policy that decisions followed'
early='too early: .+ since the last measurements and rates need .+|no computing was measured|no rate is known yet'
stays='no other shares are better|staying has lost least so far|the work to move is less than a row'
stays+='|gain .+ % is under the threshold of .+ %|moving costs .+ and would save .+'
moves='[1-9][0-9]* rows? even out: costs .+ and saves .+'
follows='; follows [a-z0-9-]+: .+ s so far where [a-z0-9-]+ takes .+ s'
reasons="^($early|($stays|$moves)$follows)\$"
is "$(column "$trace.0" 9 | grep -vE "$reasons")" '' 'and each decision has a reason'
is "$(column "$trace.0" 9)" "$(column "$trace.1" 9)" 'which is the same on all ranks'
one='[a-z0-9-]+=[0-9.e+-]+'
is "$(column "$trace.0" 10,11 | grep -vcE "^([a-z0-9-]+,stay=[0-9.e+-]+( $one)+|,)$")" 0 \
    'the candidate that is followed, and the times of all'
is "$(column "$trace.0" 10,11)" "$(column "$trace.1" 10,11)" 'the same on all ranks'
is "$(traced 2 calls KEEL_MPI_BALANCE=rate:period=0.001,quantum=0.0001)$(column "$trace.0" 11 | grep . | sed -E 's/=[^ ]*//g' | sort -u | wc -w)" 7 'all candidates are traced'
is "$(traced 2 calls KEEL_MPI_BALANCE=rate:gain=0.1,greatly=2)$(column "$trace.0" 10,11 | sort -u)" , \
    'with a given threshold, the published rules are used'
is "$(traced 2 calls KEEL_MPI_BALANCE=auto)$(column "$trace.0" 8 | grep -vcxE 'rate|tree|diffusion')" 0 \
    'under auto, too, the policy that decisions followed'
is "$(column "$trace.0" 8)" "$(column "$trace.1" 8)" 'the same on all ranks'
is "$(traced 2 calls KEEL_MPI_BALANCE=off)" '' 'without balancing nothing is said'
is "$(ls "$trace".* 2>&1 | grep -c 'No such file')" 1 'nor traced'
is "$(traced 1 calls)$(ls "$trace".* 2>&1 | grep -c 'No such file')" 1 'nor on a single rank'

is "$(traced 2 shaken KEEL_MPI_BALANCE=shake KEEL_MPI_TRACE=/nowhere/trace | sort -u)" \
    "keel: KEEL_MPI_TRACE: '/nowhere/trace.0' cannot be written: No such file or directory; nothing is traced" 'a file that cannot be made: message'
mkfifo "$TEST_TMPDIR/pipe.0"
is "$(traced 2 shaken KEEL_MPI_BALANCE=shake KEEL_MPI_TRACE="$TEST_TMPDIR/pipe" | sort -u)" \
    "keel: KEEL_MPI_TRACE: '$TEST_TMPDIR/pipe.0' cannot be written: no process reads it; nothing is traced" 'a named pipe without a reader: message'
is "$(traced 2 shaken KEEL_MPI_BALANCE=shake KEEL_MPI_TRACE= | sort -u)" 'keel: KEEL_MPI_TRACE: it is empty, and counts as not set' \
    'an empty name: no trace'

done_testing
