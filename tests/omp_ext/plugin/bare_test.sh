#!/bin/bash
# The programs that test schedule(runtime) loops under Keel pass with bare loops and the plugin, too; and static loops, of either kind,
# start no work-sharing construct of libgomp if the environment sets static for all threads.
source tests/support/tap.sh
source tests/omp_ext/plugin/compile.sh

library=$(keel_path omp_ext/libkeel.so)
root=$(keel_path tests/support/checks.h)
root=${root%/tests/support/checks.h}
for variable in ${!KEEL_@} ${!OMP_@}; do
    [[ $variable = KEEL_TEST_* ]] || unset "$variable"
done
export OMP_WAIT_POLICY=passive OMP_CANCELLATION=true

# bare PROGRAM LEVEL: compiles it without its clauses.
bare()
{
    sed 's/ *schedule(runtime)//' "$root/tests/omp_ext/gomp/$1.c" >"$TEST_TMPDIR/$1.c" &&
        ! cmp -s "$root/tests/omp_ext/gomp/$1.c" "$TEST_TMPDIR/$1.c" &&
        gcc -w "-O$2" -fopenmp -I"$root" -fplugin="$plugin" "$option-nowait" "$TEST_TMPDIR/$1.c" -o "$TEST_TMPDIR/$1" -rdynamic -ldl -lm
}

all='loop_forms iteration_spaces clauses cancellation nesting agreement host_threads forking program_interface'
level=0
for program in $(each_day 'loop_forms clauses cancellation nesting program_interface' "$all"); do
    level=$(((level + 1) % 4))
    ok "$program builds with bare loops at -O$level" bare $program $level
    is "$(LD_PRELOAD=$library timeout 60 "$TEST_TMPDIR/$program" 2>&1 | grep -v '^keel: [a-z]*: no costs for a loop of ')" '' "$program"
done

# Written clauses keep libgomp's order, unless the clause or the environment says nonmonotonic.
ok 'monotonic builds with its clauses' gcc -w -O1 -fopenmp -I"$root" -fplugin="$plugin" \
    "$option-explicit=static,dynamic,guided,auto" "$root/tests/omp_ext/gomp/monotonic.c" -o "$TEST_TMPDIR/monotonic" -rdynamic -ldl
for said in '' nonmonotonic 'plain KEEL_OVERRIDE=nonmonotonic'; do
    read -r word setting <<<"$said"
    is "$(env LD_PRELOAD="$library" ${setting:+"$setting"} timeout 60 "$TEST_TMPDIR/monotonic" $word 2>&1 |
        grep -v '^keel: [a-z]*: no costs for a loop of ')" '' "monotonic with its clauses: ${said:-nothing said}"
done

# A library after Keel that prints a line when a construct is started.
cat >"$TEST_TMPDIR/watcher.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
typedef bool starter(long, long, long, long, long, long *, long *, uintptr_t *, void **);
bool GOMP_loop_start(long start, long end, long step, long kind, long chunk, long *first, long *last, uintptr_t *reductions,
                     void **memory)
{
    puts("construct");
    return ((starter *)dlsym(RTLD_NEXT, "GOMP_loop_start"))(start, end, step, kind, chunk, first, last, reductions, memory);
}
END
cat >"$TEST_TMPDIR/loop.c" <<'END'
#include <stdio.h>
int main(int count, char **argument)
{
    int sum = 0;
    (void)argument;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
        for (int i = 0; i < 5; i++) {
#pragma omp for SCHEDULE
            for (int j = 0; j < count * 10; j++) {
                sum += j;
            }
#pragma omp for SCHEDULE nowait
            for (int j = 0; j < count; j++) {
                sum++;
            }
#pragma omp barrier
#pragma omp for SCHEDULE
            for (int j = 0; j < count * 20; j++) {
#pragma omp cancel for if (j == 100)
                sum += j;
            }
        }
    }
    printf("%d\n", sum);
}
END
cd "$TEST_TMPDIR" || exit
ok 'the watcher builds' gcc -shared -fPIC -w watcher.c -o watcher.so -ldl
ok 'bare loops build' gcc -w -fopenmp '-DSCHEDULE=' -fplugin="$plugin" "$option-nowait" loop.c -o bare
ok 'written loops build' gcc -w -fopenmp '-DSCHEDULE=schedule(runtime)' loop.c -o runtime

# constructs PROGRAM SCHEDULE: constructs that are started, and the program's output.
constructs()
{
    LD_PRELOAD="$library $TEST_TMPDIR/watcher.so" KEEL_SCHEDULE=$2 timeout 20 "./$1" | sort | uniq -c | sed 's/^ *//'
}
for program in bare runtime; do
    is "$(constructs $program static)" '1 1180' "$program under static: no construct"
    is "$(constructs $program css,2)" $'1 1180\n45 construct' "$program under css: one for each thread and loop"
    is "$(constructs $program 'static;loop.c:1=css,2')" '1 1180' "$program under static, beside a rule for another loop"
done
is "$(LD_PRELOAD="$library $TEST_TMPDIR/watcher.so" ./bare)" 1180 'bare without settings'
done_testing
