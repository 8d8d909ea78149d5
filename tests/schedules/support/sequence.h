/* What tests of schedules run through and compare: specs of every schedule, and the sequences of
 * chunks that plans give or that the functions of a schedule define. */
#ifndef TESTS_SCHEDULES_SUPPORT_SEQUENCE_H
#define TESTS_SCHEDULES_SUPPORT_SEQUENCE_H

#include <stddef.h>

#include "schedules/claim/plan.h"
#include "schedules/loop/spec.h"

/* The schedules, each with several sets of parameters, that the property tests run through.
 * Ended by NULL. */
extern const char *const specs_texts[];

/* Reads a spec; fails the running test when it is not good. What Keel would measure gets fixed
 * values: mu 100 ns, sigma 50 ns, overhead 200 ns. */
struct keel_spec specs_read(const char *text);

/* Chunk s is [bound[s], bound[s + 1]). */
struct sequence {
    size_t steps;
    size_t room;
    uint64_t *bound; /* steps + 1 */
};

/* Up to `most` steps of the plan; fails the running test when chunks leave gaps or overlap, are
 * empty, or end elsewhere than at N (unless cut off at `most`). */
struct sequence sequence_of_plan(const struct keel_plan *plan, size_t most);

/* What schedules/loop/schedule.h promises for the problem, worked out from the functions one step
 * after the other. Not for weighted schedules. */
struct sequence sequence_of_hooks(const struct keel_problem *problem, size_t most);

/* Fails the running test where the two differ. */
void sequence_assert_equal(const struct sequence *got, const struct sequence *wanted);

/* Sizes in order, runs shortened: "125x4 63x4 12". */
void sequence_write(const struct sequence *sequence, char *text, size_t size);

void sequence_free(struct sequence *sequence);

#endif
