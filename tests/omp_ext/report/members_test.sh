#!/bin/bash
# The README names each member of a report's JSON, and none that is not written.
source tests/support/tap.sh

sample=$(program write_sample)
report=$TEST_TMPDIR/report.json
readme=$(keel_path omp_ext/README.md)
for rank in 0 2; do "$sample" $rank 3 "$report" a; done >/dev/null
"$sample" 1 3 "$report" a >/dev/null

# differences README JSON
differences()
{
    perl "$(keel_path tests/omp_ext/report/members.pl)" "$1" "$2"
}

is "$(differences "$readme" "$report" 2>&1)" '' 'all members, and no others'

# What that can find.
sed 's/`busy_s`, `lost_s`/`busy_s`, `gone_s`/' "$readme" >"$TEST_TMPDIR/readme"
is "$(differences "$TEST_TMPDIR/readme" "$report")" $'loop: gone_s is not written\nloop: lost_s is not in the README' 'a member by a wrong name'
grep -v '^| `decision` |' "$readme" >"$TEST_TMPDIR/readme"
like "$(differences "$TEST_TMPDIR/readme" "$report")" '^decision: reason is not in the README$' 'an object that is not there'
done_testing
