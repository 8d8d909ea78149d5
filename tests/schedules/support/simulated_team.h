/* Simulated teams. Under a schedule with plans, every thread has a plan of its own, as in a real
 * one, and who claims next is drawn at random. */
#ifndef TESTS_SCHEDULES_SUPPORT_TEAM_H
#define TESTS_SCHEDULES_SUPPORT_TEAM_H

#include <stddef.h>

#include "schedules/claim/plan.h"
#include "schedules/claim/team.h"
#include "tests/support/helpers.h"

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

/* --- schedules without plans: and what they promise in every loop. Who claims next, who never
 * comes, who stops in the middle and what chunks take are all drawn at random. --- */

struct adaptive_chunk {
    uint64_t first, last, thread;
};

struct adaptive_team {
    struct keel_team *team;
    struct adaptive_member {
        struct keel_team_worker worker;
        uint64_t end; /* of its last chunk */
        bool holds;   /* a chunk that is not done */
        bool gone;    /* never comes, has stopped, or was refused */
    } * members;
    uint64_t working; /* members that are not gone */
    size_t count, room;
    struct adaptive_chunk *chunks; /* in the order of claims */
};

/* What the members do. */
struct adaptive_habits {
    bool wild;    /* times may be anything that a broken clock gives */
    bool absent;  /* some never come */
    bool quit;    /* some stop with a chunk that no other one runs */
    size_t limit; /* chunks to hand out at most; 0: any number */
};

/* first: as in keel_team_begin(). */
struct adaptive_team adaptive_team_begin(const struct keel_spec *spec, uint64_t iterations,
                                         uint64_t threads, const uint64_t *first);

/* One claim. Fails the running test when the chunk is empty, out of bounds, smaller than the
 * minimum though more was there, or, unless the schedule is one of blocks, lies before one that the
 * same thread had earlier. */
bool adaptive_team_claim(struct adaptive_team *team, uint64_t thread);

/* The member is done with what it holds. */
void adaptive_team_done(struct adaptive_team *team, uint64_t thread, double time_ns,
                        double overhead_ns);

/* Claims until every member is gone, or the limit. One that is there stays to the end. */
void adaptive_team_run(struct adaptive_team *team, struct adaptive_habits habits,
                       struct draws *draws);

/* Fails the running test unless all chunks together, in their order in the loop, are [0, a), [a, b)
 * ... [z, N). Where members are left, unless no iteration is in two chunks. */
void adaptive_team_assert_complete(const struct adaptive_team *team);

void adaptive_team_end(struct adaptive_team *team);

#endif
