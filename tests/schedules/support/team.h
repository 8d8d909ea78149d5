/* A simulated team under a schedule with plans: every thread has a plan of its own, as in a real
 * one, and who claims next is drawn at random. */
#ifndef TESTS_SCHEDULES_SUPPORT_TEAM_H
#define TESTS_SCHEDULES_SUPPORT_TEAM_H

#include <stddef.h>

#include "schedules/claim/plan.h"
#include "tests/support/draws.h"

struct member {
    struct keel_plan fallback;
    struct keel_plan *plan;
    struct keel_cursor cursor;
    uint64_t held; /* step drawn and not yet looked up; UINT64_MAX: none */
    uint64_t end;  /* of its last chunk */
    bool refused;  /* the loop has nothing left for it */
};

struct team {
    struct keel_claims claims;
    uint64_t iterations;
    size_t threads;
    size_t working; /* members not refused */
    struct member *members;
    size_t steps; /* chunks handed out, over all members */
    size_t room;
    struct team_chunk {
        uint64_t first, last; /* last == 0: not handed out */
    } * chunks;               /* by step number; of a weighted team: in the order of claims */
};

/* `problem` without `thread`; weights as there. */
struct team team_begin(const struct keel_problem *problem);

/* Claims until every member is refused. Fails the running test when a chunk is empty, out of
 * bounds, handed out twice, or lies before one that the same thread had earlier. */
void team_run(struct team *team, struct draws *draws);

/* Fails the running test unless the chunks, in the order of their steps, are [0, a), [a, b) ...
 * [z, N): every iteration exactly once, every step number used. */
void team_assert_complete(const struct team *team);

void team_end(struct team *team);

#endif
