#!/bin/bash
# Thousands of random programs with objects, on groups of 1 to 12 ranks, come to what a serial model comes to.
source tests/support/mpirun.sh

mpi_passes 'groups of 1 to 12 ranks' 12 "$(program random_programs)" many_groups

done_testing
