#!/bin/bash
# keel check has nothing to say of programs whose results no schedule may change; and programs of several ranks.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh
source tests/support/mpirun.sh
compiles

compile safe && compile unsafe && build_loop || exit

# same RUNS LOOPS THREADS PROGRAM...: nothing is found.
same()
{
    check -n "$1" -- "${@:4}"
    is "$status" 0 "${*:4}: exit code"
    is "$said" "'$4': the same results in 3 runs without Keel and $1 under random schedules ($2, $3, seeds 1 to $1)" 'one line'
}

same "$(each_day 8 30)" '6 loops' '2 threads' "$safe"
OMP_NUM_THREADS=5 same "$(each_day 3 10)" '6 loops' '5 threads' "$safe"
same "$(each_day 6 20)" '1 loop' '2 threads' "$unsafe" words
same "$(each_day 3 10)" '1 loop' '2 threads' "$TEST_TMPDIR/loop"

check -n 3 --seed 40 --plain-runs 1 -t 3 -- "$safe"
is "$said" "'$safe': the same results in 1 run without Keel and 3 under random schedules (6 loops, 3 threads, seeds 40 to 42)" \
    'the number of runs, seeds and threads can be chosen'
OMP_NUM_THREADS=1 check -n 3 -- "$TEST_TMPDIR/loop"
like "$said" '^all teams had one thread, for which no schedule makes a difference \(-t\)$' 'teams of one are named'
check -n 3 -- "$TEST_TMPDIR/plain"
is "$status" 3 'no loop: exit code'
like "$said" "^no loop of '$TEST_TMPDIR/plain' came to Keel, so nothing was checked; compile it with .*keel cflags" 'no loop: message'

# libgomp gives each thread increasing iterations.
printf '%s\n' '#include <stdio.h>' 'int main(void) {' '    int back = 0;' '#pragma omp parallel reduction(+ : back)' \
    '    {' '        int last = -1;' '#pragma omp for schedule(dynamic)' \
    '        for (int i = 0; i < 999; i++) { back += i < last; last = i; }' '    }' '    printf("%d\n", back); }' >"$TEST_TMPDIR/order.c"
gcc -g -fopenmp "$TEST_TMPDIR/order.c" -o "$TEST_TMPDIR/order"
same "$(each_day 10 20)" '1 loop' '2 threads' "$TEST_TMPDIR/order"
KEEL_OVERRIDE=nonmonotonic check -n 20 -- "$TEST_TMPDIR/order"
is "$status" 1 'unless KEEL_OVERRIDE says nonmonotonic'

printf '%s\n' '#include <stdio.h>' 'int main(void) {' '    int seen = 0, n = getchar();' \
    '#pragma omp parallel for' '    for (int i = 0; i < 9; i++)' '        if (i == 3) seen = i;' \
    '#pragma omp parallel for schedule(runtime)' '    for (int i = 0; i < 9; i++)' '        if (i == 4) seen += i;' \
    '    printf("%d %d\n", seen, n); }' >"$TEST_TMPDIR/half.c"
gcc -g -fopenmp "$TEST_TMPDIR/half.c" -o "$TEST_TMPDIR/half"
check -n 3 -- "$TEST_TMPDIR/half"
is "$status" 0 'a program with a static loop, too: exit code'
like "$said" '^no loop came to Keel in 1 parallel region \(half.c:4 \(main\)\); .*keel cflags --nowait --explicit=static' 'that is told, and what reaches it'
echo x >"$TEST_TMPDIR/input"
check -n 3 --input "$TEST_TMPDIR/input" --ignore '^7 120' -- "$TEST_TMPDIR/half"
is "$status" 0 'an input can be given'

export KEEL_SCHEDULE=gsss KEEL_TRACE=$TEST_TMPDIR/trace KEEL_CHECK=nonsense
same 3 '1 loop' '2 threads' "$TEST_TMPDIR/loop"
unset KEEL_SCHEDULE KEEL_TRACE KEEL_CHECK
ok 'what else is asked of Keel is left aside' test ! -e "$TEST_TMPDIR/trace"
is "$(left_behind)" '' 'no file is left'

# --- ranks: all of them run under it ---

short_tmpdir

# The project's applications. Their only line has times in it, which differ; exit codes say whether they are right.
apps=('sor --size 37 --steps 6' 'matmul --size 37 --steps 6 --repeat 2')
runs=$(each_day 2 4)
for app in "${apps[@]}"; do
    check -n "$runs" --plain-runs 1 --ignore "^${app%% *}," -- "$(keel_path bench/apps/${app%% *})" ${app#* } --verify
    is "$status" 0 "$app: exit code"
    like "$said" ": the same results in 1 run without Keel and $runs under random schedules" "$app: the same"
done
sor=$(keel_path bench/apps/sor)
check -n "$runs" --ignore '^sor,' -- mpirun -n 2 "$sor" --size 37 --steps 6 --verify
is "$status" 0 'two ranks: exit code'
like "$said" "^'mpirun': the same results in 3 runs without Keel and $runs under random schedules \([0-9]+ loops?, 2 threads, seeds 1 to $runs\)\$" \
    'loops of ranks come to Keel'

check -n "$(each_day 10 40)" -- mpirun -n 2 "$unsafe" thread
is "$status" 1 'a loop that is wrong: exit code'
like "$said" "^results differ when $(place thread 1) \(per_thread\) is scheduled" 'is named'

done_testing
