/* Threads of teams for which nobody has said how many: for libkeel_mpi_calls.so, where ranks of a
 * node share its cores.
 *
 *   keel_team_size_set() -> [threads] -> entry points of regions -> libgomp */
#ifndef OMP_EXT_ENTRY_TEAM_SIZE_H
#define OMP_EXT_ENTRY_TEAM_SIZE_H

#include <stdint.h>

/* From now on regions without a clause num_threads, outside of teams of several threads, get teams
 * of `threads`, >= 1, or of omp_get_max_threads(), if that is less. regions: is set to how many of
 * them have begun since the first call. Found by dlsym(): its form never changes. Any thread. */
typedef void keel_team_size_setter(unsigned threads, uint64_t *regions);
void keel_team_size_set(unsigned threads, uint64_t *regions);

#endif
