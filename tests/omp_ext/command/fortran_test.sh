#!/bin/bash
# The Fortran module keel, under a linked and under a preloaded library.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh

module=$(keel_path include/keel.f90)
source=$(keel_path tests/omp_ext/command/module.f90)

# build FOLDER SOURCE...
build()
{
    local folder=$1
    shift
    mkdir -p "$folder" && (cd "$folder" && eval "gfortran -Wall -Wextra -Werror -std=f2008 $("$keel" cflags) $* $("$keel" libs) -o program")
}

version=$("$keel" --version | cut -d' ' -f2)
wanted="$version
$version T T
first libgomp.
set 0 fac2,16 . fac.
500500
no problem: .
wrong T unknown schedule 'gsss', nearest is 'gss'
taken back 0 libgomp.
costs 0 .
wrong T cost '-6' of iteration 2, counted from 0, is not a finite number of at least 0
no costs 0
taken back 0"
message="keel: keel_set_schedule: unknown schedule 'gsss', nearest is 'gss'; the schedule stays as it was
keel: keel_set_costs: cost '-6' of iteration 2, counted from 0, is not a finite number of at least 0; the costs stay as they were"

ok 'the module compiles without warnings' build "$TEST_TMPDIR/module" "'$module'" "'$source'"
program=$TEST_TMPDIR/module/program
is "$(code "$program")" 0 'the program runs'
is "$(output)" "$wanted" 'with the library linked'
is "$(messages)" "$message" 'what is unusable without ierr is reported'

{
    echo "include 'keel.f90'"
    cat "$source"
} >"$TEST_TMPDIR/included.f90"
ok 'the module can be included' build "$TEST_TMPDIR/include" "'$TEST_TMPDIR/included.f90'"
is "$("$TEST_TMPDIR/include/program" 2>/dev/null)" "$wanted" 'and works'

is "$(code "$keel" run "$program")" 0 'the program runs under keel run'
is "$(output)" "$wanted" 'with the library preloaded'
is "$(messages | grep -v '^keel: no schedule is asked for: ')" "$message" 'its loop came to Keel'
like "$(KEEL_SCHEDULE=ss "$program" 2>/dev/null)" '^set 2 ss ' 'KEEL_SCHEDULE rules, and ierr tells'
done_testing
