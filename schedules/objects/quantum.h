/* How often a thread looks for requests of other ranks while its rank computes on objects.
 *
 *   what a look takes, how long the rank has worked, requests so far -> [quantum] -> s
 *
 * Looks of a rank that works for T_work cost T_work / T_quantum (2 T_ctx + T_poll), and a request
 * waits for T_quantum / 2 (PAPERS.md R6). With n requests, both together are least at
 *
 *   T_quantum = sqrt(2 T_work (2 T_ctx + T_poll) / n)
 *
 * Pure. */
#ifndef SCHEDULES_OBJECTS_QUANTUM_H
#define SCHEDULES_OBJECTS_QUANTUM_H

#include <stdint.h>

struct keel_quantum_case {
    double look_s;     /* 2 T_ctx + T_poll, measured; <= 0: not known */
    double work_s;     /* T_work, of the phase so far or of one like it */
    uint64_t requests; /* in that time; 0 counts as 1, as the next one is not known */
};

#define KEEL_QUANTUM_COST 0.01 /* most of the work's time that looks may take */

/* At least look_s / KEEL_QUANTUM_COST. Where that does not rule, a request waits for 1 % of the
 * work or less on average. `otherwise_s` where a look's time is not known. */
double keel_quantum_s(const struct keel_quantum_case *measured, double otherwise_s);

#endif
