#!/bin/bash
# Loops and constructs of every form, as compilers call libgomp for them, under every schedule and with several team
# sizes, nightly each with each; and under adversarial schedules.
source tests/support/under_keel.sh

passes iteration_spaces
passes loop_forms

# --- OpenMP's other constructs ---

passes nesting
passes monotonic
KEEL_OVERRIDE=dynamic,guided passes monotonic
KEEL_OVERRIDE=dynamic,guided,nonmonotonic passes monotonic plain
passes clauses
passes ordered
passes old_binaries
KEEL_OVERRIDE=dynamic passes old_binaries
OMP_CANCELLATION=true passes cancellation

# --- threads that ask for different schedules, teams of several host threads at once, and children of fork ---

for round in 1 2 3; do
    passes agreement
done
KEEL_OVERRIDE=dynamic passes agreement
OMP_SCHEDULE=dynamic,3 passes agreement
OMP_SCHEDULE=guided passes agreement
passes host_threads
passes forking

# --- the functions of keel.h ---

passes program_interface
KEEL_SCHEDULE=gss passes program_interface overruled

# --- KEEL_CHECK: which loops get adversarial schedules and barriers, and what is reported, follows from files ---

for seed in $(each_day 1 '1 2'); do
    export KEEL_CHECK=seed=$seed KEEL_OVERRIDE=dynamic,guided
    all='iteration_spaces loop_forms nesting clauses ordered old_binaries
        agreement forking host_threads'
    for name in $(each_day 'iteration_spaces loop_forms nesting clauses ordered forking' "$all"); do
        passes "$name"
    done
    OMP_CANCELLATION=true passes cancellation
done
unset KEEL_CHECK KEEL_OVERRIDE

# checked [LIST...]: what the program prints with the files of $folder, over 40 rounds; its loops are static without Keel.
folder=$TEST_TMPDIR/folder
mkdir -p "$folder"
export OMP_SCHEDULE=static
checked()
{
    : >"$folder/report"
    under_keel KEEL_CHECK="seed=1,folder=$folder" "$(program checked)" 40 2>&1
}
is "$("$(program checked)" 40 | cut -d, -f1-2)" 'first static, second static' 'without Keel shares are static'
is "$(checked)" 'first moved, second moved, early seen' 'without a list all loops are checked'
report=$(sort "$folder/report")
IFS=$'\t' read -r _ first second < <(grep ^after <<<"$report")
line=$(grep -n '/\* second \*/' tests/omp_ext/gomp/checked.c | cut -d: -f1)
is "$second" "checked.c:$line (main)" 'what has no barrier in between is reported, by its place'
is "$(grep -c ^after <<<"$report")" 1 'and nothing of a loop with a barrier at its end'
is "$(grep ^loop <<<"$report")" "$(printf 'loop\t%s\t2\n' "$first" "$second")" 'loops are reported with their teams'
is "$(grep -c ^region <<<"$report") $(grep -c ^reached <<<"$report")" '1 1' 'so is the region that they are in'
same "$(uniq <<<"$report")" "$report" 'each once'

echo "$first" >"$folder/active"
is "$(checked | cut -d, -f1-2)" 'first moved, second static' 'only the loop of the list is checked'
echo "$second" >"$folder/active"
is "$(checked | cut -d, -f1-2)" 'first static, second moved' 'or the other one'
: >"$folder/active"
is "$(checked | cut -d, -f1-2)" 'first static, second static' 'or none'
is "$(under_keel KEEL_CHECK="seed=1,folder=$folder" "$(program checked)" one)" 'several threads' 'the others are static'
is "$(OMP_SCHEDULE=dynamic under_keel KEEL_CHECK="seed=1,folder=$folder" "$(program checked)" 40 | cut -d, -f1-2)" \
    'first static, second static' 'also where libgomp would deal them'
is "$(under_keel KEEL_CHECK="seed=1,others=one,folder=$folder" "$(program checked)" one)" 'one thread' \
    'or each is run by one thread'
rm "$folder/active"
echo "$first" >"$folder/barriers"
is "$(checked)" 'first moved, second moved, early none' 'a barrier where the list says so'

is "$(under_keel KEEL_CHECK=sed=1 "$(program checked)" 2>&1 | grep ^keel:)" \
    "keel: KEEL_CHECK: 'sed=1' is not seed=N[,others=one][,folder=PATH] with an absolute path; no loop is checked" \
    'what cannot be used is named'
is "$(under_keel KEEL_CHECK=seed=1,folder=relative "$(program checked)" 2>&1 | grep -c '^keel: KEEL_CHECK: ')" 1 'the same with check'

done_testing
