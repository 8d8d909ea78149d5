/* Simulated teams. */
#include "tests/schedules/support/team.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NOTHING_HELD UINT64_MAX

typedef unsigned long long ull;

struct team team_begin(const struct keel_problem *problem)
{
    struct team team = {.iterations = problem->iterations,
                        .threads = problem->threads,
                        .working = problem->threads,
                        .members = calloc(problem->threads, sizeof *team.members),
                        .room = 64,
                        .chunks = calloc(64, sizeof *team.chunks)};

    for (size_t i = 0; i < team.threads; i++) {
        struct member *member = &team.members[i];
        struct keel_problem own = *problem;
        own.thread = i;
        member->plan = keel_plan_build(&own, realloc, &member->fallback);
        member->held = NOTHING_HELD;
        keel_cursor_begin(&member->cursor, member->plan);
    }
    return team;
}

static void make_room(struct team *team, uint64_t step)
{
    while (step >= team->room) {
        team->chunks = realloc(team->chunks, 2 * team->room * sizeof *team->chunks);
        memset(team->chunks + team->room, 0, team->room * sizeof *team->chunks);
        team->room *= 2;
    }
}

static void note(struct team *team, struct member *member, uint64_t step, uint64_t first,
                 uint64_t last)
{
    if (first < member->end || last <= first || last > team->iterations) {
        fail_msg("step %llu is [%llu, %llu) of %llu; the thread has been at %llu", (ull)step,
                 (ull)first, (ull)last, (ull)team->iterations, (ull)member->end);
    }
    make_room(team, step);
    if (team->chunks[step].last != 0) {
        fail_msg("step %llu is handed out twice", (ull)step);
    }
    team->chunks[step] = (struct team_chunk){first, last};
    team->steps++;
    member->end = last;
}

static void refuse(struct team *team, struct member *member)
{
    member->refused = true;
    team->working--;
}

/* The number of the step that a claim of this member takes. */
static uint64_t step_ahead(const struct team *team, const struct member *member)
{
    switch (member->plan->claim) {
    case KEEL_CLAIM_STEPS:
        return atomic_load(&team->claims.next);
    case KEEL_CLAIM_OWN:
        return member->cursor.step;
    case KEEL_CLAIM_WEIGHTED:
        return team->steps;
    case KEEL_CLAIM_SIZED:
    case KEEL_CLAIM_BLOCKS:
        break;
    }
    return 0;
}

static void claim(struct team *team, struct member *member)
{
    uint64_t step = step_ahead(team, member);
    uint64_t first, last;

    if (keel_claim(member->plan, &team->claims, &member->cursor, &first, &last)) {
        note(team, member, step, first, last);
    } else {
        refuse(team, member);
    }
}

/* The second half of a claim whose step was drawn while others overtook. */
static void look_up(struct team *team, struct member *member)
{
    uint64_t step = member->held;
    uint64_t first, last;

    member->held = NOTHING_HELD;
    if (keel_plan_any_chunk(member->plan, &member->cursor.walk, step, &first, &last)) {
        note(team, member, step, first, last);
    } else {
        refuse(team, member);
    }
}

static void act(struct team *team, struct member *member, bool interrupted)
{
    if (member->held != NOTHING_HELD) {
        look_up(team, member);
    } else if (interrupted && member->plan->claim == KEEL_CLAIM_STEPS) {
        member->held = atomic_fetch_add(&team->claims.next, 1);
    } else {
        claim(team, member);
    }
}

void team_run(struct team *team, struct draws *draws)
{
    while (team->working > 0) {
        uint64_t draw = draws_next(draws);
        size_t chosen = (draw >> 8) % team->threads;
        while (team->members[chosen].refused) {
            chosen = (chosen + 1) % team->threads;
        }
        act(team, &team->members[chosen], draw & 1);
    }
    for (size_t i = 0; i < team->threads; i++) {
        uint64_t first, last;
        assert_false(keel_claim(team->members[i].plan, &team->claims, &team->members[i].cursor,
                                &first, &last));
    }
}

void team_assert_complete(const struct team *team)
{
    uint64_t end = 0;

    for (size_t step = 0; step < team->steps; step++) {
        if (step >= team->room || team->chunks[step].first != end ||
            team->chunks[step].last <= end) {
            fail_msg("step %zu of %zu does not begin at %llu", step, team->steps, (ull)end);
        }
        end = team->chunks[step].last;
    }
    if (end != team->iterations) {
        fail_msg("%zu steps end at %llu of %llu", team->steps, (ull)end, (ull)team->iterations);
    }
}

void team_end(struct team *team)
{
    for (size_t i = 0; i < team->threads; i++) {
        if (team->members[i].plan != &team->members[i].fallback) {
            free(team->members[i].plan);
        }
    }
    free(team->members);
    free(team->chunks);
}
