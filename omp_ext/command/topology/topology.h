/* What `keel topology` is made of.
 *
 *   affinity, /sys  -> usable    --+
 *   libgomp's child -> libgomp_view -> facts -> [advice] -> settings, warnings */
#ifndef OMP_EXT_COMMAND_TOPOLOGY_TOPOLOGY_H
#define OMP_EXT_COMMAND_TOPOLOGY_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct keel_topology_facts {
    unsigned cores, processors, nodes; /* that the process may use: cores >= 1 */
    unsigned online;                   /* processors of the machine */
    double quota;                      /* cores; 0: none */
    unsigned kinds;                    /* of usable cores; 1: all alike */
    unsigned threads;                  /* of a program's first team; 0: not known */
    bool bound;                        /* its threads are bound */
    unsigned bound_processors;         /* of their places, all together */
    unsigned ranks;                    /* of this job on this machine; 0: it is no job */
};

/* Threads of a rank where `ranks` share what is usable, by cores and quota; >= 1.
 *
 * One per usable core. Hardware threads of a core share its arithmetic units; a second one is worth
 * a try where loops wait for memory, and costs nothing to try. Under a quota no more than that:
 * threads beyond it all wait for the next period. */
unsigned keel_topology_threads(const struct keel_topology_facts *facts, unsigned ranks);

/* Prints the settings to use, one line each, as one would write them. */
void keel_topology_print_settings(const struct keel_topology_facts *facts, FILE *stream);

/* Prints what does not fit, one line each. Returns how many. */
unsigned keel_topology_print_warnings(const struct keel_topology_facts *facts, FILE *stream);

#endif
