#!/bin/bash
# The test that this one is named after, x_test of x_test_mpich: programs built for MPICH, under MPICH's mpirun.
source tests/support/tap.sh

command -v mpirun.mpich >/dev/null || plan skip_all "MPICH's mpirun is not there (.ci/install mpich)"
script=tests/${0##*tests/}
export TEST_WORKSPACE=$TEST_WORKSPACE/mpich KEEL_TEST_MPIRUN=mpirun.mpich
exec bash "${script%_mpich}.sh"
