/* What to set on a machine: how many threads, where to bind them, how to start ranks; and what does
 * not fit. Pure: what is known of machine, process and job comes from the caller.
 *
 * Threads: one per usable core. Hardware threads of a core share its arithmetic units; a second one
 * is worth a try where loops wait for memory, and costs nothing to try. Under a quota no more than
 * that: threads beyond it all stand still until the next period. */
#ifndef OMP_EXT_TOPOLOGY_ADVICE_H
#define OMP_EXT_TOPOLOGY_ADVICE_H

#include <stdbool.h>
#include <stdio.h>

struct keel_topology_facts {
    unsigned cores, processors, nodes; /* that the process may use: cores >= 1 */
    unsigned online;                   /* processors of the machine */
    double quota;                      /* cores; 0: none */
    unsigned kinds;                    /* of usable cores; 1: all alike */
    bool here;                         /* the machine is this one, and what follows is known */
    unsigned threads;                  /* of a program's first team; 0: not known */
    bool bound;                        /* its threads are bound */
    unsigned bound_processors;         /* of their places, all together */
    unsigned ranks;                    /* of this job on this machine; 0: it is no job */
    unsigned weighted;                 /* threads begin with weights */
};

/* Threads of a rank where `ranks` share what is usable, by cores and quota; >= 1. */
unsigned keel_topology_advice_threads(const struct keel_topology_facts *facts, unsigned ranks);

/* Prints the settings to use, one line each, as one would write them. */
void keel_topology_advice_print(const struct keel_topology_facts *facts, FILE *stream);

/* Prints what does not fit, one line each. Returns how many. */
unsigned keel_topology_advice_warn(const struct keel_topology_facts *facts, FILE *stream);

#endif
