#!/bin/bash
# keel env: the variables, what they hold, and whether that is in force.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh

# state NAME: what `keel env` says of the variable's value.
state()
{
    "$keel" env 2>"$TEST_TMPDIR/messages" | sed -n "/^$1=/,/^\$/s/^ *now *//p"
}

for name in KEEL_MIN_CHUNK KEEL_SCHEDULE KEEL_OVERRIDE KEEL_WEIGHTS KEEL_SHARE_CORES KEEL_SEEN OMP_SCHEDULE KEEL_MPI_SCHEDULE KEEL_MPI_WEIGHTS KEEL_MPI_POLL \
    KEEL_MPI_PROGRESS KEEL_MPI_WAIT KEEL_MPI_NODE_RANKS KEEL_MPI_BALANCE KEEL_MPI_DEADLINE KEEL_MPI_ON_LATE KEEL_MPI_ON_ERROR KEEL_MPI_COPIES KEEL_MPI_BLOCK; do
    is "$(state $name)" 'not set' "$name is not set"
    like "$("$keel" env --markdown)" "^\| \`$name\` \| [^|]+ \| [^|]+ \| [^|]+ \|\$" "$name has its row"
done
is "$("$keel" env --markdown | head -2)" '| variable | holds | without it | meaning |
| --- | --- | --- | --- |' 'the head of the markdown table'
is "$("$keel" env --markdown | wc -l)" "$(($("$keel" env | grep -c '^[A-Z_]*=') + 2))" 'both forms have the same variables'

is "$(KEEL_SCHEDULE='gss; a.c:3=ss' state KEEL_SCHEDULE)" 'in force' 'a schedule is in force'
like "$(KEEL_SCHEDULE='gss; a.c:3=ss' "$keel" env)" '^KEEL_SCHEDULE=gss; a.c:3=ss$' 'and shown'
is "$(KEEL_SCHEDULE=gsss state KEEL_SCHEDULE)" 'set, not in force' 'an unknown one is not'
like "$(messages)" "^keel: KEEL_SCHEDULE: unknown schedule 'gsss', nearest is 'gss'" 'and is reported'
is "$(KEEL_MIN_CHUNK=1 state KEEL_MIN_CHUNK)" 'in force' 'a default that is stated is in force'
is "$(KEEL_MIN_CHUNK=x state KEEL_MIN_CHUNK)" 'set, not in force' 'a bad number is not'
is "$(KEEL_WEIGHTS=1,1 state KEEL_WEIGHTS)" 'in force' 'weights are in force'
is "$(OMP_SCHEDULE=fac2,16 state OMP_SCHEDULE)" 'in force' 'OMP_SCHEDULE with a schedule of Keel is'
is "$(OMP_SCHEDULE=static state OMP_SCHEDULE)" 'set, not in force' 'with one of libgomp it is not'
is "$(OMP_SCHEDULE=fac2 KEEL_SCHEDULE=gss state OMP_SCHEDULE)" 'set, KEEL_SCHEDULE rules over it' 'nor beside KEEL_SCHEDULE'

is "$(KEEL_MPI_SCHEDULE=tree:gamma=0.5 state KEEL_MPI_SCHEDULE)" 'in force' 'how ranks share loops is in force'
like "$(KEEL_MPI_SCHEDULE=tree:gamma=0.5 "$keel" env)" '^KEEL_MPI_SCHEDULE=tree:gamma=0.5$' 'and shown'
is "$(KEEL_MPI_SCHEDULE=tree:gamma=5 state KEEL_MPI_SCHEDULE)" 'in force' 'with a wrong parameter it is, too'
is "$(messages)" "keel: KEEL_MPI_SCHEDULE: gamma '5' is not a number above 0 and up to 1, or ratio; going by throughput" 'which is reported'
is "$(KEEL_MPI_SCHEDULE=tre state KEEL_MPI_SCHEDULE)" 'set, not in force' 'an unknown one is not'
is "$(messages)" "keel: KEEL_MPI_SCHEDULE: unknown schedule 'tre', nearest is 'tree'; it counts as not set" 'and is reported'
is "$(KEEL_MPI_BALANCE=tree:gain=5 state KEEL_MPI_BALANCE)" 'in force' 'a policy of rows with a wrong parameter is, too'
is "$(messages)" "keel: KEEL_MPI_BALANCE: gain '5' is not a number from 0 to 1; using 0.05" 'which is reported'
is "$(KEEL_MPI_BALANCE=tre state KEEL_MPI_BALANCE)" 'set, not in force' 'an unknown one is not'
is "$(KEEL_MPI_PROGRESS=0 state KEEL_MPI_PROGRESS)" 'in force' 'a default of these that is stated is in force'
is "$(KEEL_MPI_POLL=1 state KEEL_MPI_POLL)" 'set, not in force' 'a number out of range is not'
is "$(KEEL_MPI_WEIGHTS=1,x state KEEL_MPI_WEIGHTS)" 'set, not in force' 'nor is a list with another word'
for width in 40 80; do
    is "$(COLUMNS=$width "$keel" env | awk -v width=$width 'length > width')" '' "lines fit in $width columns"
done
done_testing
