/* How many threads a rank's teams have, where ranks of a node share its cores. Pure.
 *
 * Threads beyond a rank's own cores gain what the other ranks leave idle, and cost switches: a
 * region of length t on `own` cores takes t x own / (own + idle) on all of them, and
 * KEEL_CORES_SWITCH_S for each thread more. */
#ifndef MPI_BACKEND_CALLS_CORES_DECISION_H
#define MPI_BACKEND_CALLS_CORES_DECISION_H

/* Two to three switches of context, s: measured on two cores. */
#define KEEL_CORES_SWITCH_S 6e-6

/* Gains from which it takes all cores, and under which it gives them back; between the two, teams
 * stay as they are. */
#define KEEL_CORES_TAKE 0.05
#define KEEL_CORES_LEAVE 0.02

/* What a rank has seen in a period. */
struct keel_cores_seen {
    unsigned own, all; /* threads of a team: 1 <= own <= all */
    unsigned threads;  /* own or all: what its teams have now */
    double idle;       /* cores that the other ranks left idle in the mean, >= 0 */
    double own_idle;   /* the same of this rank: while all wait, nothing is gained */
    double region_s;   /* mean time of its regions, with what is between them; > 0 */
};

/* Own or all. */
unsigned keel_cores_threads(const struct keel_cores_seen *seen);

/* Part of `own` cores that a rank leaves idle which took `busy_s` of processor time in a period:
 * cores, 0 to `own`. */
double keel_cores_idle(unsigned own, double busy_s, double period_s);

#endif
