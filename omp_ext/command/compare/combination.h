/* A schedule for each loop that gains by one of its own: "fac2; solve.c:30=static". And
 * whether that came true. */
#ifndef OMP_EXT_COMMAND_COMPARE_COMBINATION_H
#define OMP_EXT_COMMAND_COMPARE_COMBINATION_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/command/compare/session.h"

#define KEEL_COMBINATION_TEXT_MAX 4096

struct keel_combination {
    size_t loops;  /* with a rule of their own; 0: there is none that pays */
    double gain_s; /* that is expected of it */
    char schedule[KEEL_COMBINATION_TEXT_MAX];
    struct keel_pair_trial tried; /* beside the candidate alone */
};

/* Puts together what each loop's best schedule brings over `candidate` for all loops. */
struct keel_combination keel_combination_of(const struct keel_session *session, size_t candidate);

/* Runs it in turns with the candidate alone, if the budget is not used up. */
void keel_combination_try(struct keel_combination *combination, struct keel_session *session,
                          size_t candidate);

/* Seconds that `candidate` takes in a loop over the best one that a rule can name; `best` gets that
 * one. 0: there is none that is faster. */
double keel_combination_gain(const struct keel_session *session, const struct keel_loop_time *loop,
                             size_t candidate, size_t *best);

#endif
