#!/bin/bash
# Costs of this machine: measured with ranks and without, kept where they are looked for. No cost is
# compared with a time.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh
source tests/support/mpirun.sh

export HOME=$TEST_TMPDIR/home
unset XDG_CACHE_HOME
mkdir -p "$HOME"
TMPDIR=$(mktemp -d /tmp/keel_calibrate.XXXXXX) # for mpirun's sockets; Bazel's name is too long
trap 'rm -rf "$TMPDIR"' EXIT
kept=$HOME/.cache/keel/machine
here='pack_row pack_byte unpack_row unpack_byte context_switch claim_step claim_own claim_weighted claim_timed claim_start'
between='message_startup message_byte poll interaction'

# names FILE: of its costs, in order.
names()
{
    awk '$2 == "=" { print $1 }' "$1" | sort | tr '\n' ' '
}

# wanted NAME...: the same of these.
wanted()
{
    printf '%s\n' "$@" | sort | tr '\n' ' '
}

# value FILE NAME: the cost.
value()
{
    awk -v name="$2" '$1 == name { print $3 }' "$1"
}

# calibrate ARGUMENT...: exit code. What mpirun needs for root and for two ranks is the command's to say.
calibrate()
{
    code timeout "$tap_patience_s" env -u OMPI_ALLOW_RUN_AS_ROOT -u OMPI_ALLOW_RUN_AS_ROOT_CONFIRM \
        -u OMPI_MCA_rmaps_base_oversubscribe -u PRTE_MCA_rmaps_default_mapping_policy "$keel" model calibrate "$@"
}

# --- with ranks ---

is "$(calibrate)" 0 'calibrating with mpirun works'
is "$(messages)" '' 'and has nothing to complain about'
is "$(names "$kept")" "$(wanted $here $between)" 'all costs are kept in ~/.cache/keel/machine'
is "$(output | tail -n 1)" "Kept in $kept" 'the place is told'
is "$(output | awk 'NR > 1 && NF > 5 && $4 <= $3 && $3 <= $5' | wc -l)" 14 'each has a row, its median between its quartiles'
is "$(awk '$2 == "=" && !($3 > 0 && $3 < 1)' "$kept")" '' 'all are more than nothing and less than a second'

is "$(XDG_CACHE_HOME=$TEST_TMPDIR/cache calibrate --ranks 3 --launcher 'mpirun --mca btl self,vader')" 0 \
    'a launcher and a number of ranks can be given'
is "$(names "$TEST_TMPDIR/cache/keel/machine")" "$(wanted $here $between)" 'XDG_CACHE_HOME is the place where it is set'

is "$(code mpi_launch -n 2 "$(keel_path keel_calibrate)" -o "$TEST_TMPDIR/job")" 0 'ranks of a job calibrate'
is "$(names "$TEST_TMPDIR/job")" "$(wanted $here $between)" 'and measure the same'

# --- without ---

printf 'message_startup = 0.25\n' >"$TEST_TMPDIR/alone"
is "$(PATH=$TEST_TMPDIR code "$keel" model calibrate -o "$TEST_TMPDIR/alone")" 0 'without mpirun the rest is measured'
is "$(messages)" "keel: messages cannot be measured by 'mpirun': No such file or directory; what they cost stays what it was" \
    'without mpirun: message'
is "$(names "$TEST_TMPDIR/alone")" "$(wanted message_startup $here)" 'without mpirun: what is kept'
is "$(value "$TEST_TMPDIR/alone" message_startup)" 0.25 'what messages cost stays what it was'

is "$(calibrate --launcher 'exit 3;' -o "$TEST_TMPDIR/failed")" 0 'a launcher that fails does not keep the rest from being measured'
is "$(messages)" "keel: messages cannot be measured by 'exit 3;': exit code 3; what they cost stays what it was" 'a launcher that fails: message'
is "$(calibrate --launcher 'kill -9 $$;' -o "$TEST_TMPDIR/failed")" 0 'nor does one that is killed'
like "$(messages)" 'ended by signal 9; what they cost stays' 'a launcher that is killed: message'
is "$(calibrate --launcher 'echo message_startup -1; true' -o "$TEST_TMPDIR/failed")" 0 'nor does one that starts nothing'
like "$(messages)" 'started as a single rank, expected two or more' 'a launcher that starts nothing: message'

install_to "$TEST_TMPDIR/prefix"
is "$(code "$TEST_TMPDIR/prefix/bin/keel" model calibrate -o "$TEST_TMPDIR/prefix/machine")" 0 'without keel_calibrate the rest is measured'
like "$(messages)" '^keel: keel_calibrate is not there; looked for' 'without keel_calibrate: message'

# --- bad input ---

for ranks in 1 0 -2 2x '' 1000001; do
    is "$(calibrate --ranks "$ranks")" 2 "--ranks '$ranks': exit code"
    is "$(messages)" "keel: --ranks: '$ranks' is not a whole number from 2 to 1000000; nothing is measured" "--ranks '$ranks': message"
done
is "$(PATH=$TEST_TMPDIR code "$keel" model calibrate -o "$TEST_TMPDIR/alone/machine")" 1 'a file that cannot be written: exit code'
like "$(messages)" "alone/machine: machine costs cannot be written: .*; nothing is kept" 'a file that cannot be written: message'
is "$(PATH=$TEST_TMPDIR HOME= code "$keel" model calibrate)" 1 'no place to keep costs in: exit code'
like "$(messages)" 'neither XDG_CACHE_HOME nor HOME' 'no place to keep costs in: message'
is "$(calibrate more)" 2 'a word too many: exit code'

done_testing
