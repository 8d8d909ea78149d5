/* Where the threads of the program's teams run, as far as libgomp has bound them.
 *
 *   places of libgomp, its rules for teams --> place of each thread --> processors
 *   --> placement of the team (schedules/claim/claim_placement.h)
 *
 * Known are the threads of outermost teams, in processes whose threads are bound since the start
 * (OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY). Threads that the system may move have no place: a
 * weight would follow the wrong core. Nothing of the machine is read before the first loop that
 * asks. */
#ifndef OMP_EXT_MACHINE_TEAM_PLACES_H
#define OMP_EXT_MACHINE_TEAM_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/claim/claim_placement.h"

/* --- Linux's data about processors ---
 *
 * Their cores, caches, NUMA nodes and capacities, read from /sys/devices/system. Reading takes a
 * few files per processor. Asking hwloc would cost a process milliseconds at its start, even on
 * small machines. */

/* Reads about `count` processors, of which `number` has the operating system's numbers. root: a
 * folder in place of '/', "" for the machine itself. Without data each processor counts as a core,
 * and all share the cache and the node. */
void keel_processors_read(const char *root, const unsigned *number, size_t count,
                          struct keel_processor *processor);

/* --- teams --- */

/* Notes how libgomp binds threads; later calls do nothing, nor does one from within a parallel
 * region. Any thread. */
void keel_team_places_begin(void);

/* The placement of the team of `threads` that the calling thread is in; NULL: its threads are not
 * bound, alike, or not known. Any thread. Once made, a placement stays. Where nothing is bound,
 * this costs one load. */
const struct keel_placement *keel_team_placement(uint64_t threads);

/* How libgomp binds a team that starts on place `own` of `places`: writes the place of each of
 * `threads` threads. bind: an omp_proc_bind_t other than false. Pure. */
void keel_team_places_of(int bind, uint64_t places, uint64_t own, uint64_t threads,
                         uint64_t *place);

#endif
