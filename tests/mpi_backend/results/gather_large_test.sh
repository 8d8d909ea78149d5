#!/bin/bash
# Loops of more than 2^31 elements are gathered, from two ranks with a buffer for all of them each.
source tests/support/mpirun.sh

available=$(awk '$1 == "MemAvailable:" { print int($2 / 1048576) }' /proc/meminfo)
[ "$available" -ge 8 ] || plan skip_all "8 GiB of memory are needed, $available are free"

gather=$(program gather)
mpi_passes 'more than 2^31 bytes in one range' 2 "$gather" begin large_range end
mpi_passes 'more than 2^31 bytes in one iteration' 2 "$gather" begin large_count end
done_testing
