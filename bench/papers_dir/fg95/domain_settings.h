/* What a run of domains.c is told on the command line, NAME=VALUE:
 *
 *   power=C,C,...    operations per s of each host
 *   steps, time, wind, flops, stars   as nbody's STEPS, TIME, WIND, FLOPS; seed of the stars
 *   bytes            that others are told of a particle in each step, 24 or more
 *   shape            boxes (orthogonal recursive bisection) or curve (pieces of a Hilbert curve)
 *   graph            plane: who touches whom; line: the ones before and behind
 *   policy           none, random, diffusion, redistribution
 *   w, alpha, draw   w*, alpha, seed of random
 *   sync             own: only the messages that the policy needs; all: as Keel's rows, all tell
 *                    all how many tasks they have, and agree six times
 *   state            operations that a processor spends where diffusion asks a neighbour
 *   sort             operations of processor 0 for redistribution
 *
 * Pure. */
#ifndef BENCH_PAPERS_DIR_FG95_DOMAIN_SETTINGS_H
#define BENCH_PAPERS_DIR_FG95_DOMAIN_SETTINGS_H

#include <stdbool.h>

#include "bench/papers_dir/fg95/plane.h"

struct domain_settings {
    double steps, time, wind, flops, stars, bytes, w, alpha, draw, state, sort;
    char shape[16], graph[16], policy[24], sync[8];
    double power[PLANE_OWNERS_MAX];
    int powers;
};

/* What there is without a word; no powers. */
struct domain_settings domain_settings(void);

/* False: there is no such name, or no such value; nothing changes but powers. */
bool domain_settings_set(struct domain_settings *settings, const char *argument);

#endif
