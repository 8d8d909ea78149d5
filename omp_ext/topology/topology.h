/* What `keel topology` is made of.
 *
 *   affinity, /sys  -> usable    --+
 *   libgomp's child -> libgomp_view -> facts -> [advice] -> settings, warnings */
#ifndef OMP_EXT_TOPOLOGY_TOPOLOGY_H
#define OMP_EXT_TOPOLOGY_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* --- libgomp's view --- */

/* omp_proc_bind_t. */
enum keel_libgomp_bind {
    KEEL_LIBGOMP_UNBOUND,
    KEEL_LIBGOMP_TRUE,
    KEEL_LIBGOMP_PRIMARY,
    KEEL_LIBGOMP_CLOSE,
    KEEL_LIBGOMP_SPREAD
};

#define KEEL_LIBGOMP_PLACES 16 /* threads whose places are told */

/* The team that a program's first parallel region would get in this environment, and where its
 * threads would be bound. */
struct keel_libgomp_view {
    uint32_t threads;                    /* of the team */
    uint32_t bind;                       /* enum keel_libgomp_bind */
    uint32_t places;                     /* of the process; 0: threads are not bound */
    uint32_t processors;                 /* of the threads' places, all together */
    char place[KEEL_LIBGOMP_PLACES][48]; /* of the first threads: processors, "0,16" or "0-3" */
};

/* Asks libgomp itself, in a child process that starts such a team: binding the command's own
 * threads would hide what it may use. False: there is no libgomp.so.1, or no answer of it. What
 * libgomp says about the environment goes to standard error. Once in a process. */
bool keel_libgomp_view_take(struct keel_libgomp_view *view);

/* --- settings --- */

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

/* What the process may use: cores, processors, nodes, online, kinds and quota. `list` gets the
 * numbers of the processors as text. */
struct keel_topology_facts keel_topology_usable(char *list, unsigned size);

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
