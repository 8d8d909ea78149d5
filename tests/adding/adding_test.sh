#!/bin/bash
# How one adds to Keel: the examples of this folder, each a patch, fit this checkout, and do what they are for. Bazel
# builds them in a copy, so that this is for the night.
source tests/support/tap.sh

cd "$(keel_root)" || exit
examples=$PWD/tests/adding
copy=$TEST_TMPDIR/copy
export GIT_CEILING_DIRECTORIES=$TEST_TMPDIR # the copy is in no checkout
mkdir "$copy"
git ls-files -z | tar --null --files-from=- -c | tar -x -C "$copy"

# most EXAMPLE FILES: it fits, and changes at most so many files.
most()
{
    ok "$1 fits" git -C "$copy" apply "$examples/$1.patch"
    ok "$1: at most $2 files" [ "$(grep -c '^+++ ' "$examples/$1.patch")" -le "$2" ]
}

most schedule 3
most policy 5
most message 3
most model 3
most entry_point 2
most variable 3
most report_line 4
is "$(cd "$examples" && ls ./*.patch | wc -l)" 7 'no example is left out'

cd "$copy" || exit
bazel --output_base="$TEST_TMPDIR/bazel" build --noshow_progress --ui_event_filters=-info --show_result=0 \
    --symlink_prefix=built- //:keel </dev/null >"$TEST_TMPDIR/log" 2>&1
is "$?" 0 'all of them are built together' || diag "$(tail -n 20 "$TEST_TMPDIR/log")"
bazel --output_base="$TEST_TMPDIR/bazel" shutdown </dev/null >/dev/null 2>&1
built=$copy/built-bin

cat >loop.c <<'END_OF_C'
#include <stdio.h>
int main(void)
{
    long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1000; i++) {
        sum += i;
    }
#pragma omp parallel
#pragma omp single
    printf("sum %ld\n", sum);
    return 0;
}
END_OF_C
gcc -O1 -fopenmp -o loop loop.c
like "$("$built/keel" list)" 'quarter .*guided, by quarters' 'the schedule is listed'
like "$("$built/keel" list --mpi)" 'equal +equal' 'the policy is listed'
like "$("$built/keel" model predict amdahl threads=4)" 'speedup +3\.0769' 'the model predicts 10 s / 3.25 s'
like "$(nm -D --defined-only "$built/libkeel.so")" 'GOMP_single_start@GOMP_1\.0' 'the entry point is exported'
like "$(strings "$built/libkeel_mpi.so")" 'a nudge from another node' 'the message is checked'
output=$(KEEL_GREETING=1 OMP_NUM_THREADS=2 "$built/keel" report -s quarter ./loop 2>&1)
like "$output" 'keel: loaded' 'the variable is read'
like "$output" 'sum 499500' 'each iteration runs once, and single on one thread'
like "$output" '  teams: 2' 'the line is in the report'
done_testing
