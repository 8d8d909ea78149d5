# What the tests of simulated jobs share. Sourced in place of tap.sh.
source tests/support/tap.sh
source bench/sim/smpirun.sh

folder=$TEST_TMPDIR/simulated
mkdir -p "$folder"

# holds EXPRESSION of awk
holds()
{
    awk "BEGIN { exit !($1) }"
}
