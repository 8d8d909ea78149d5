/* How far each candidate is from the best one in each loop that matters. Pure. */
#ifndef OMP_EXT_COMMAND_COMPARE_LOOP_REGRET_H
#define OMP_EXT_COMMAND_COMPARE_LOOP_REGRET_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/command/compare/session.h"
#include "omp_ext/command/compare/statistics/standing.h"

/* One loop. */
struct keel_loop_regret {
    const struct keel_loop_time *loop;
    double share; /* of the program's time under the reference, or under whoever has run it */
    struct keel_standings standings;
};

/* Loops by share, the largest first; at least `least` of the time each. */
struct keel_loop_regrets {
    size_t count;
    struct keel_loop_regret *of;
};

/* False: no memory. */
bool keel_loop_regrets_make(struct keel_loop_regrets *regrets, const struct keel_session *session,
                            const struct keel_standings *program, double least);

/* The largest regret of the candidate over loops, and of which loop; NaN: there is none. */
double keel_loop_regrets_largest(const struct keel_loop_regrets *regrets, size_t candidate,
                                 size_t *loop);

/* The candidate whose largest regret is the smallest; candidates: there is none. */
size_t keel_loop_regrets_minimax(const struct keel_loop_regrets *regrets, size_t candidates);

void keel_loop_regrets_free(struct keel_loop_regrets *regrets);

#endif
