#!/bin/bash
# How ranks of tests are started on this machine.
source tests/support/mpirun.sh

is "$(mpi_shows 2 KEEL_TEST=of_ranks sh -c 'echo "$KEEL_TEST"' 2>&1)" $'of_ranks\nof_ranks' 'ranks get the variables'
like "$(mpi_keel 1 sh -c 'echo "$LD_PRELOAD"')" '/omp_ext/libkeel\.so$' 'libkeel.so is for the ranks'
# MPICH's launcher itself may end by SIGPIPE where ranks end at once.
mpi_shows 2 sh -c 'sleep 0.2; exit 1' >/dev/null 2>&1
is "$?" 1 'the exit status is that of the ranks'

folder=$(mpi_shows 1 printenv TMPDIR)
like "$folder" '^/tmp/keel_mpi\.' 'mpirun has a folder of its own'
ok 'which is removed' test -n "$folder" -a ! -e "$folder"

done_testing
