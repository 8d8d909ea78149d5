/* The policies of Franklin and Govindan (PAPERS.md F2 to F5) where domains lie in a plane: who is
 * next to whom is whatever it is (schedules/balance/neighbours.h has rings and meshes).
 *
 * Pure; the same arguments give the same transfers. */
#ifndef BENCH_PAPERS_DIR_FG95_TRANSFERS_H
#define BENCH_PAPERS_DIR_FG95_TRANSFERS_H

#include <stdbool.h>
#include <stdint.h>

struct situation {
    int processors;
    const double *power; /* > 0 */
    const int *tasks;    /* of each; of one's neighbours and oneself where only these are known */
    int all;             /* the sum of all, which stays */
    const bool *next;    /* next[i * processors + j]: whether i and j are neighbours */
    double threshold;    /* w*, relative to the ideal */
    double alpha;        /* F3 */
};

struct transfer {
    int to, tasks;
};

/* F3: what `from` sends, 0 or 1 transfers. chance: 64 drawn bits. */
int transfers_random(const struct situation *situation, int from, uint64_t chance,
                     struct transfer *transfer);

/* F4: what `from` sends; at most as many transfers as there are processors. */
int transfers_diffusion(const struct situation *situation, int from, struct transfer *transfer);

/* F5: whether `processor` has more than w*. */
bool transfers_exceeds(const struct situation *situation, int processor);

#endif
