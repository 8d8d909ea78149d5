#!/bin/bash
# How one adds to Keel: the examples of examples.patch fit this checkout, and do what they are for. Bazel builds them in
# a copy, so that this is for the night.
source tests/support/tap.sh

cd "$(keel_root)" || exit
examples=$PWD/tests/adding/examples.patch
copy=$TEST_TMPDIR/copy
export GIT_CEILING_DIRECTORIES=$TEST_TMPDIR # the copy is in no checkout
mkdir "$copy"
git ls-files -z | tar --null --files-from=- -c | tar -x -C "$copy"

# Each fits, and changes at most as many files as its heading says.
while IFS=: read -r name most; do
    awk -v heading="=== $name:" '/^=== / { inside = index($0, heading) == 1 } inside' "$examples" >"$TEST_TMPDIR/patch"
    ok "$name fits" git -C "$copy" apply "$TEST_TMPDIR/patch"
    ok "$name:$most" [ "$(grep -c '^+++ ' "$TEST_TMPDIR/patch")" -le "${most//[^0-9]/}" ]
done < <(sed -n 's/^=== //p' "$examples")
is "$(sed -n 's/^=== \(.*\):.*/\1/p' "$examples" | paste -sd,)" 'schedule,policy,message,model,entry point,variable,report line' \
    'there is an example of each kind'

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
like "$(nm "$built/libkeel_mpi.so")" ' t take_nudge$' 'the message is taken'
output=$(KEEL_GREETING=1 OMP_NUM_THREADS=2 "$built/keel" report -s quarter ./loop 2>&1)
like "$output" 'keel: loaded' 'the variable is read'
like "$output" 'sum 499500' 'each iteration runs once, and single on one thread'
like "$output" '  teams: 2' 'the line is in the report'
done_testing
