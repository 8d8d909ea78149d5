/* How a run of the N-body program went: what nbody.c and domains.c print in the end. */
#ifndef BENCH_PAPERS_DIR_FG95_OUTCOME_H
#define BENCH_PAPERS_DIR_FG95_OUTCOME_H

#include <stdbool.h>

#include "bench/papers_dir/fg95/cluster.h"

struct outcome {
    int steps, particles;
    double *busy_s; /* of this rank in each step */
    int *computed;  /* own particles in each step */
};

struct outcome outcome_open(int steps, int particles);

void outcome_note(struct outcome *outcome, int step, double busy_s, int computed);

/* Prints
 *
 *   ranks time longest interactions movements moved digest verdict
 *
 * longest: the longest time of computing of any rank in each step, over all steps. digest: of where
 * all particles are in the end (Fowler, Noll and Vo's hash), which is the same however they were
 * distributed. verdict: "all": as many tasks as particles in every step, else "WRONG". Returns
 * whether it is "all". Collective; the numbers are rank 0's. */
bool outcome_print(const struct outcome *outcome, double time_s, const unsigned long number[3],
                   const struct particle *own, int count);

void outcome_close(struct outcome *outcome);

#endif
