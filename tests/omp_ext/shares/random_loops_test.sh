#!/bin/bash
# Static loops that are drawn at random: loops that are taken have the results of a plain run with as many threads.
# Without KEEL_TEST_SEED they are the same in every run.
source tests/support/under_keel.sh

here=tests/omp_ext/shares
prove=$(keel_path omp_ext/shares/prove)
seed=${KEEL_TEST_SEED:-1}
diag "KEEL_TEST_SEED=$seed"

# differing PROGRAM: the functions whose results with Keel are not those of a plain run.
differing()
{
    local threads schedule
    for threads in $(each_day 3 '2 3 5'); do
        OMP_NUM_THREADS=$threads "$1" >"$1.plain" || printf 'plain run: exit status %s\n' $?
        for schedule in $(each_day 'ss steal' 'ss fac2 steal'); do
            OMP_NUM_THREADS=$threads under_keel KEEL_OVERRIDE=static KEEL_SCHEDULE=$schedule "$1" >"$1.lines" ||
                printf 'run: exit status %s (%s, %s threads)\n' $? "$schedule" "$threads"
            sort "$1.lines" | comm -13 <(sort "$1.plain") - | sed "s/ .*/ ($schedule, $threads threads)/"
        done
    done
}

functions=0 taken=0

# look NUMBER OPTIONS: draws that program's functions, $size of them, compiles them by gcc$version, and compares their results.
# random_loops.pl SEED $size NUMBER prints one of them alone.
look()
{
    local program=$TEST_TMPDIR/drawn.$1 drawn=$((1000 * seed + $1)) options verdicts
    read -ra options <<<"$2"
    perl "$here/random_loops.pl" "$drawn" "$size" >"$program.c"
    if ! "gcc$version" "${options[@]}" -fopenmp -w -I. "$program.c" -o "$program" -lm; then
        tap_result 1 "seed $drawn $2: it is compiled"
        return
    fi
    verdicts=$("$prove" "$program" | grep -v '\.cold')
    functions=$((functions + $(grep -c . <<<"$verdicts")))
    taken=$((taken + $(grep -c ': taken' <<<"$verdicts")))
    is "$(differing "$program")" '' "$size functions of seed $drawn, gcc$version $2: the results of plain runs"
    rm -f "$program" "$program".*
}

newer=native
grep -qw avx2 /proc/cpuinfo && newer=x86-64-v3
IFS='|' read -ra builds < <(each_day "-O2|-O3 -march=$newer|-O1" "-O1|-O2|-O3|-Os|-O3 -march=$newer|-O2 -march=$newer")
size=$(each_day 100 200)
mapfile -t versions < <(echo && each_day '' "$(other_gccs gcc)" | grep .)
for ((number = 0; number < $(each_day 3 50); number++)); do
    version=${versions[number / ${#builds[@]} % ${#versions[@]}]}
    look "$number" "${builds[number % ${#builds[@]}]}"
done
ok "at least a fifth of $functions functions are taken: $taken" test $((5 * taken)) -ge "$functions"
done_testing
