/* Threads of teams for which nobody has said how many: for libkeel_mpi_calls.so, where ranks of a
 * node share its cores.
 *
 *   entry points of regions -> [team size] -> who was named by keel_team_size_ask() -> libgomp */
#ifndef OMP_EXT_ENTRY_TEAM_SIZE_H
#define OMP_EXT_ENTRY_TEAM_SIZE_H

/* Threads of a team that begins now, >= 1. Called by any thread that begins a region. */
typedef unsigned keel_team_size_asked(void);

/* From now on regions without a clause num_threads, outside of teams of several threads, get teams
 * of as many threads as `asked` says, or of omp_get_max_threads(), if that is less. Found by
 * dlsym(): its form never changes. Any thread. */
typedef void keel_team_size_asking(keel_team_size_asked *asked);
void keel_team_size_ask(keel_team_size_asked *asked);

#endif
