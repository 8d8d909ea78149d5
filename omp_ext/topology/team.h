/* A team on a machine: which thread is where, with what weight it begins, and where it looks first
 * when it is idle. By the functions that programs run. */
#ifndef OMP_EXT_TOPOLOGY_TEAM_H
#define OMP_EXT_TOPOLOGY_TEAM_H

#include <stdio.h>

#include "omp_ext/topology/libgomp_view.h"
#include "omp_ext/topology/machine.h"

/* Prints a bound team, a line for what is alike. Returns how many processors its places have. */
unsigned keel_topology_team_print(const struct keel_topology_machine *machine,
                                  const struct keel_libgomp_view *view, FILE *stream);

/* A team with a thread on each usable core, to be freed by keel_libgomp_view_free(); false: there
 * is no memory. */
bool keel_topology_team_of_cores(const struct keel_topology_machine *machine,
                                 struct keel_libgomp_view *view);

#endif
