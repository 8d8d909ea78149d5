#!/bin/bash
# keel env: the variables, what they hold, and whether that is in force.
source tests/tap.sh
source tests/omp_ext/command/command.sh

# state NAME: what `keel env` says of the variable's value.
state()
{
    "$keel" env 2>"$TEST_TMPDIR/messages" | sed -n "/^$1=/,/^\$/s/^ *now *//p"
}

for name in KEEL_MIN_CHUNK KEEL_SCHEDULE KEEL_OVERRIDE KEEL_WEIGHTS KEEL_SEEN OMP_SCHEDULE; do
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
for width in 40 80; do
    is "$(COLUMNS=$width "$keel" env | awk -v width=$width 'length > width')" '' "lines fit in $width columns"
done
done_testing
