/* A simulated team under a schedule without plans, and what it promises in every loop. Who claims
 * next, who never comes, who stops in the middle and what chunks take are all drawn at random. */
#ifndef TESTS_SCHEDULES_SUPPORT_ADAPTIVE_TEAM_H
#define TESTS_SCHEDULES_SUPPORT_ADAPTIVE_TEAM_H

#include "schedules/claim/team.h"
#include "tests/support/draws.h"

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
    bool quit;    /* some stop with a chunk that nobody else runs */
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
