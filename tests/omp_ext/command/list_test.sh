#!/bin/bash
# keel list: every schedule with formula, parameters and use.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh

names=$("$keel" list --names)
for name in static ss css gss tss tfss fac2 fac wf2 awf awf-b awf-c awf-d awf-e af maf aid rate auto afs lds steal ich binlpt lpt fsc mfsc tap bold fiss viss pls rnd; do
    like "$names" "^$name\$" "--names has $name"
    like "$("$keel" list)" "^$name( |\$)" "the table has $name"
    like "$("$keel" list "$name")" "^$name: " "$name is shown in full"
done
is "$(grep -c . <<<"$names")" 33 'and no others'

for width in 40 60 80 120; do
    is "$(COLUMNS=$width "$keel" list | awk -v width=$width 'length > width')" '' "lines fit in $width columns"
    is "$(COLUMNS=$width "$keel" list | grep -c ' $')" 0 "no line of $width columns ends in a blank"
done
table=$(COLUMNS=400 "$keel" list)
like "$table" '^gss .* ceil\(R/P\) .*\(Polychronopoulos & Kuck 1987\)$|^guided .*ceil\(R/P\) .*\(Polychronopoulos & Kuck 1987\)$' \
    'formula and source stand in the table'
like "$table" '^ratio +0 \.\. 1 +0\.5 +share of the loop' 'range and default of a number'
like "$("$keel" list aid)" '^ratio +0 \.\. 1 +0\.8 +share of the loop' 'the default of a schedule'
like "$table" '^seed +0 \.\. 2\^64-1 +1 ' 'range of a count'
like "$table" '^mu .* measured +mean time of an iteration, ns$' 'a measured parameter has its unit'

like "$table" '^grain +1 \.\. 2\^64-1 +1 +iterations that are never separated$' 'the grain, which every schedule takes'

one=$("$keel" list TRAPEZOID)
like "$one" '^tss: trapezoid self-scheduling$' 'an alias in capitals shows its schedule'
like "$one" 'also named +trapezoidal trapezoid$' 'its aliases'
like "$one" 'written +tss\[,first\[,last\]\]\[:min=\.\.\.\]$' 'how it is written'
like "$one" '^first +1 ' 'its own parameters'
unlike "$one" '^mu ' 'and no others'

is "$("$keel" list --mpi --names)" 'tree
steal
diffuse
rate

auto
rate-local
rate
random
diffusion
redistribute
gradient
tree
shake
off

steal
diffuse
tree
prema
shake
off' '--mpi has the policies of ranks, for loops, for rows and for objects'
table=$(COLUMNS=400 "$keel" list --mpi)
for name in tree steal diffuse rate; do
    like "$table" "^$name +$name\[," "and how $name is written, for loops"
done
for name in auto rate-local rate random diffusion redistribute gradient tree shake; do
    like "$table" "^$name +$name\[:[a-z]+=\.\.\." "and how $name is written, for rows"
done
is "$(sed -n '/^Rows .*KEEL_MPI_BALANCE:$/,/^Objects/s/^\(auto\|off\|steal\|diffuse\) .*/\1/p' <<<"$table")" 'auto
off' 'those of rows stand under their heading'
is "$(sed -n '/^Objects .*KEEL_MPI_BALANCE:$/,$s/^\(auto\|off\|steal\|diffuse\) .*/\1/p' <<<"$table")" 'steal
diffuse
off' 'and those of objects'
is "$(sed -n '/^Loops .*KEEL_MPI_SCHEDULE:$/,/^Rows/s/^\(auto\|off\|steal\|diffuse\) .*/\1/p' <<<"$table")" 'steal
diffuse' 'those of loops stand under theirs'
like "$table" '^gain +a number from 0 to 1 +using 0\.05 +the part of the time' 'what a parameter holds and means'
for width in 40 80; do
    is "$(COLUMNS=$width "$keel" list --mpi | awk -v width=$width 'length > width')" '' "their lines fit in $width columns"
done
is "$(code "$keel" list gss guidde)" 2 'an unknown name: exit code'
is "$(messages)" "keel: unknown schedule 'guidde', nearest is 'guided'; it is not shown" 'and the nearest'
like "$(output)" '^gss: ' 'known names are shown all the same'
is "$(code "$keel" list --mpi tree; output; messages)" '2
keel: --mpi lists all; a name is shown without it' 'names with --mpi are refused'
done_testing
